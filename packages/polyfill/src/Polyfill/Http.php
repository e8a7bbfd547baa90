<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill;

use FrequencyLimit\Polyfill\Core\Outcome;

/** Writes a decision in HTTP: headers of the IETF's draft, and problem details (RFC 9457). */
final class Http
{
    private const PROBLEM_TYPES = 'https://iana.org/assignments/http-problem-types#';

    /** @return array<string, string> */
    public static function headers(Decision $decision): array
    {
        $headers = ['RateLimit-Policy' => self::policies($decision), 'RateLimit' => self::state($decision)];
        if ($decision->hasRetryAfter()) {
            $headers['Retry-After'] = (string) $decision->retryAfterSeconds();
        }
        return $headers;
    }

    /** Lists all limits: "minute";q=3;w=60, "uploads";q=2;qu="concurrent-requests" */
    private static function policies(Decision $decision): string
    {
        $items = [];
        foreach ($decision->policies as $i => $policy) {
            $items[] = self::quoted($policy->wireName($i)) . ";q=$policy->limit"
                . ($policy->windowUs > 0 ? ';w=' . Decision::ceilSeconds($policy->windowUs) : ';qu="concurrent-requests"');
        }
        return implode(', ', $items);
    }

    /** Formats the deciding limit, whose state is known: "minute";r=0;t=12 */
    private static function state(Decision $decision): string
    {
        $answer = $decision->answer;
        return self::quoted($decision->policy()->wireName($answer->index)) . ";r=$answer->remaining;t="
            . ($decision->hasRetryAfter() ? $decision->retryAfterSeconds() : Decision::ceilSeconds($answer->reset));
    }

    /** Returns a string of RFC 8941, which is printable ASCII, as names are. */
    private static function quoted(string $text): string
    {
        return '"' . addcslashes($text, '"\\') . '"';
    }

    public static function status(Decision $decision): int
    {
        return $decision->answer->outcome === Outcome::STORE_UNAVAILABLE ? 503 : 429;
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
        $limit = $decision->answer->limit;
        $seconds = $decision->retryAfterSeconds();
        $again = "$seconds second" . ($seconds === 1 ? '' : 's') . '.';
        return match ($decision->answer->outcome) {
            Outcome::TOO_EXPENSIVE => "This costs more than the whole limit of $limit: it never passes.",
            Outcome::BANNED => "Banned for going past the limit. Try again in $again",
            Outcome::STORE_UNAVAILABLE => "The limit cannot be checked at the moment. Try again in $again",
            default => $policy->windowUs === 0 ? "The limit is $limit at the same time. Try again in at most $again"
                : "The limit is $limit in " . max(1, Decision::ceilSeconds($policy->windowUs)) . " seconds. Try again in $again",
        };
    }

    /** Answers the request that is being served. On the command line there is neither a request nor a header. */
    public static function send(Decision $decision): void
    {
        $isRequest = Client::servesWeb();
        if ($isRequest && headers_sent($file, $line)) {
            $place = $file === '' ? 'an unknown file' : $file;
            throw new \LogicException("FrequencyLimit\\Result::send() comes too late: headers were sent by the output that began in $place:$line");
        }
        foreach ($isRequest ? self::headers($decision) : [] as $name => $value) {
            header("$name: $value");
        }
        if ($decision->answer->accepted) {
            return;
        }
        if ($isRequest) {
            http_response_code(self::status($decision));
            header('Content-Type: application/problem+json');
        }
        echo json_encode(self::problem($decision), JSON_UNESCAPED_SLASHES), "\n";
    }
}
