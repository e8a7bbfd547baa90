<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Result;

use FrequencyLimit\Polyfill\Core\Answer;
use FrequencyLimit\Polyfill\Core\Left;
use FrequencyLimit\Polyfill\Core\Outcome;
use FrequencyLimit\Polyfill\Time;

/** Writes a decision in HTTP: headers of draft-ietf-httpapi-ratelimit-headers-11, and problem details (RFC 9457). */
final class Http
{
    private const PROBLEM_TYPES = 'https://iana.org/assignments/http-problem-types#';

    /** @return array<string, string> */
    public static function headers(Decision $decision, bool $legacy): array
    {
        $headers = [];
        if (self::policies($decision)) {
            $headers = ['RateLimit-Policy' => implode(', ', self::policies($decision)), 'RateLimit' => self::join(self::states($decision), $legacy ? $decision : null)];
        }
        if ($decision->hasRetryAfter()) {
            $headers['Retry-After'] = (string) $decision->retryAfterSeconds();
        }
        return $headers + ($legacy ? self::legacyHeaders($decision) : []);
    }

    /**
     * Joins the states of limits. The deciding limit of $legacy gets the words of earlier drafts, which parsers of these find in the
     * present list. Parameters of a vendor have its prefix.
     *
     * @param array<string, string> $states by name
     */
    public static function join(array $states, ?Decision $legacy): string
    {
        $name = $legacy?->limits() ? $legacy->policy()->wireName($legacy->answer->index) : null;
        if ($name !== null && isset($states[$name])) {
            $states[$name] .= ";ratelimit-limit={$legacy->answer->limit};ratelimit-remaining={$legacy->answer->remaining};ratelimit-reset="
                . Decision::ceilSeconds(self::legacyReset($legacy));
        }
        return implode(', ', $states);
    }

    /** Returns the time until the refused call passes, or after an accepted one until the limit is whole again. */
    private static function legacyReset(Decision $decision): int
    {
        return $decision->hasRetryAfter() ? $decision->answer->retry : $decision->answer->reset;
    }

    /** @return array<string, string> */
    public static function legacyHeaders(Decision $decision): array
    {
        $answer = $decision->answer;
        return self::policies($decision) === [] ? [] : [
            'X-RateLimit-Limit' => (string) $answer->limit,
            'X-RateLimit-Remaining' => (string) $answer->remaining,
            'X-RateLimit-Reset' => (string) Decision::ceilSeconds(Time::wall() + self::legacyReset($decision)),
        ];
    }

    /**
     * Lists all limits: "minute";q=3;w=60, "tokens";q=9000;qu="tokens";w=60, "uploads";q=2;qu="concurrent-requests"
     *
     * @return array<string, string> by name
     */
    public static function policies(Decision $decision): array
    {
        $items = [];
        foreach ($decision->limits() as $i => $policy) {
            $items[$policy->wireName($i)] = self::quoted($policy->wireName($i)) . ";q=$policy->limit"
                . ($policy->unit !== null || $policy->windowUs === 0 ? ';qu=' . self::quoted($policy->unit()) : '')
                . ($policy->windowUs > 0 ? ';w=' . Decision::ceilSeconds($policy->windowUs) : '');
        }
        return $items;
    }

    /**
     * Lists the limits whose state is known: "minute";r=0;t=12, "day";r=17;t=80000
     *
     * @return array<string, string> by name
     */
    public static function states(Decision $decision): array
    {
        $items = [];
        foreach ($decision->limits() as $i => $policy) {
            $left = $decision->left($i);
            if ($left !== null) {
                $name = $policy->wireName($i);
                $items[$name] = self::quoted($name) . ";r=$left->remaining;t=" . ($i === $decision->answer->index && $decision->hasRetryAfter()
                    ? $decision->retryAfterSeconds() : Decision::ceilSeconds(self::effectiveWindow($decision, $i, $left)));
            }
        }
        return $items;
    }

    /**
     * Returns the time within which the client can use no more than what a limit has left. A window gives all permits back at its end; of a
     * log or a sliding window with permits left, and of one that does not decide, the time until all of them are back is the bound that is known.
     */
    private static function effectiveWindow(Decision $decision, int $index, Left $left): int
    {
        $answer = $decision->answer;
        $policy = $decision->policies[$index];
        $missing = $policy->limit - $left->remaining;
        if ($left->remaining === 0 && $index === $answer->index) { // another limit may be used up for longer
            return $answer->retry === Answer::NEVER ? $left->reset : min($answer->retry, $left->reset);
        }
        if (!$policy->isSteady || $missing < 2) {
            return $left->reset;
        }
        return max(0, $left->reset - (int) (($missing - 1) * ($policy->windowUs / $policy->limit)));
    }

    /** Returns a string of RFC 9651, which is printable ASCII, as names and units are. */
    private static function quoted(string $text): string
    {
        return '"' . addcslashes($text, '"\\') . '"';
    }

    public static function status(Decision $decision): int
    {
        return $decision->answer->accepted ? 200 : ($decision->answer->outcome === Outcome::STORE_UNAVAILABLE ? 503 : 429);
    }

    /** @return array<string, mixed> */
    public static function problem(Decision $decision): array
    {
        $unavailable = $decision->answer->outcome === Outcome::STORE_UNAVAILABLE;
        $problem = [
            'type' => self::PROBLEM_TYPES . ($unavailable ? 'temporary-reduced-capacity' : 'quota-exceeded'),
            'title' => $unavailable ? 'Request cannot be satisfied due to temporary server capacity constraints'
                : 'Request cannot be satisfied as assigned quota has been exceeded',
            'status' => self::status($decision),
            'detail' => self::detail($decision),
        ];
        if ($decision->hasRetryAfter()) {
            $problem['retry_after'] = $decision->retryAfterSeconds();
        }
        if (!$unavailable) {
            $problem['violated-policies'] = [$decision->policy()->wireName($decision->answer->index)];
        }
        return $problem;
    }

    private static function detail(Decision $decision): string
    {
        $policy = $decision->policy();
        $limit = $decision->answer->limit . ($policy->unit === null ? '' : " $policy->unit");
        $again = self::time($decision->retryAfterSeconds()) . '.';
        return match ($decision->answer->outcome) {
            Outcome::TOO_EXPENSIVE => "This costs more than the whole limit of $limit: it never passes.",
            Outcome::BANNED => "Banned. Try again in $again",
            Outcome::STORE_UNAVAILABLE => "The limit cannot be checked at the moment. Try again in $again",
            default => $policy->windowUs === 0 ? "The limit is $limit at the same time. Try again in at most $again"
                : "The limit is $limit in " . self::time(max(1, Decision::ceilSeconds($policy->windowUs)), exact: true) . ". Try again in $again",
        };
    }

    /** Returns the time until the call passes, for people. */
    public static function retryText(Decision $decision): string
    {
        if ($decision->answer->accepted) {
            return 'now';
        }
        if (!$decision->hasRetryAfter()) {
            return 'never';
        }
        return 'in ' . self::time($decision->retryAfterSeconds());
    }

    /** Returns a time for people, rounded up; exact: in the largest unit that needs no rounding. */
    private static function time(int $seconds, bool $exact = false): string
    {
        /* From two of the larger unit on, so that rounding up adds at most a half. */
        foreach ([86_400 => 'day', 3_600 => 'hour', 60 => 'minute', 1 => 'second'] as $unit => $name) {
            if ($unit === 1 || ($seconds >= 2 * $unit && (!$exact || $seconds % $unit === 0))) {
                break;
            }
        }
        $n = intdiv($seconds + $unit - 1, $unit);
        return "$n $name" . ($n === 1 ? '' : 's');
    }
}
