<?php

declare(strict_types=1);

namespace FrequencyLimit;

use FrequencyLimit\Polyfill\Core\Answer;
use FrequencyLimit\Polyfill\NotSerializable;
use FrequencyLimit\Polyfill\Result\Decision;
use FrequencyLimit\Polyfill\Result\Http;
use FrequencyLimit\Polyfill\Result\MadeDecision;
use FrequencyLimit\Polyfill\Result\Response;
use FrequencyLimit\Polyfill\Sealed;

/** A decision. Limiters and FrequencyLimit make one; tests make one by of(). */
final class Result
{
    use NotSerializable;
    use Sealed;

    private const REASONS = [Reason::Accepted, Reason::Limited, Reason::Banned, Reason::TooExpensive, Reason::StoreUnavailable];

    public readonly bool $accepted;
    public readonly Reason $reason;
    /** The maximum of the deciding limit: the one that refused, or else the one with the least remaining. */
    public readonly int $limit;
    /** The remaining permits of the deciding limit, 0 to $limit. */
    public readonly int $remaining;
    /**
     * Seconds until this very call would pass; 0.0 when it passed; null: never. Of a refusal by a concurrent limit it is the
     * upper bound: a place may come free earlier.
     */
    public readonly ?float $retryAfter;
    /** Seconds until the deciding limit is whole again. */
    public readonly float $resetAfter;
    /**
     * Seconds until a call with a cost of 1 passes, after this decision; 0.0: now. Of a refusal: $retryAfter. Of reserve(), and of
     * a permit that waits in line: to the first that comes at the booked moment or later. Of a concurrent limit it is the upper
     * bound.
     */
    public readonly ?float $nextAfter;
    /** The deciding limit's name. */
    public readonly ?string $name;
    /**
     * The store that decided: "shm" (here the memory of this process), "redis", "local" (Redis was unavailable), "exempt" or "refuse"
     * (none: the file of ratelimit.limiters exempts or refuses the identity). With Reason::StoreUnavailable: the store that failed.
     */
    public readonly string $store;
    /** The cost that was counted; less than what was asked for with $atLeast; of several, the deciding limit's. 0: refused. */
    public readonly int $granted;
    /** Seconds until the turn of a permit that waits in line; 0.0: now. */
    public readonly float $wait;
    /**
     * The shadow limit that would have refused the call: its name, or its text; of check() its action. Null: none. With
     * ratelimit.enforce=0 every limit is a shadow: the call passes, and this names the limit that would have refused.
     */
    public readonly ?string $shadow;
    /**
     * The bans that have begun by a limit with bans() and are not forgotten, after the decision; 0: none. Always 0 with
     * Reason::StoreUnavailable.
     */
    public readonly int $level;
    /**
     * Every limit that was decided together, in the limiter's order: its name, its number, the permits that remain, the seconds until it
     * is whole again, the unit of its permits ("requests" without Limit::unit(), "concurrent-requests" of a concurrent limit), and the
     * seconds of its window, 0.0 of a concurrent limit. The deciding limit's entry has $remaining and $resetAfter; the others are as if no
     * ban ran, and null where they are not known: with $store "exempt" and "refuse", and with Reason::StoreUnavailable. Of shadows
     * and with ratelimit.enforce=0: [], as of Limit::none().
     *
     * @var list<array{name: ?string, limit: int, remaining: ?int, resetAfter: ?float, unit: string, window: float}>
     */
    public readonly array $limits;

    private function __construct(private readonly Decision $decision)
    {
        $answer = $decision->answer;
        $this->accepted = $answer->accepted;
        $this->reason = self::REASONS[$answer->outcome];
        $this->limit = $answer->limit;
        $this->remaining = $answer->remaining;
        $this->nextAfter = $answer->retry === Answer::NEVER ? null : $answer->retry / 1e6;
        $this->retryAfter = $answer->accepted ? 0.0 : $this->nextAfter;
        $this->resetAfter = $answer->reset / 1e6;
        $this->name = $decision->policy()->name;
        $this->store = $answer->store;
        $this->granted = $answer->granted;
        $this->wait = $answer->wait / 1e6;
        $this->shadow = $answer->shadow;
        $this->level = $answer->level;
        $limits = [];
        foreach ($decision->limits() as $i => $policy) {
            $left = $decision->left($i);
            $limits[] = [
                'name' => $policy->name,
                'limit' => $policy->limit,
                'remaining' => $left?->remaining,
                'resetAfter' => $left === null ? null : $left->reset / 1e6,
                'unit' => $policy->unit(),
                'window' => $policy->windowUs / 1e6,
            ];
        }
        $this->limits = $limits;
    }

    private function __clone()
    {
    }

    /**
     * Makes a decision that no store has made, for tests and adapters.
     *
     * @param Reason         $reason     StoreUnavailable is refused, unless $granted is above 0
     * @param int            $limit      1 to 1,000,000,000,000
     * @param int|null       $remaining  0 to $limit; null: 0 of a refusal, else $limit - 1
     * @param int|float|null $retryAfter 0 to 315,360,000 seconds; null: $window. Only of a refusal, and not of TooExpensive
     * @param int|float|null $resetAfter 0 to 315,360,000 seconds; null: $retryAfter, else $window
     * @param int|float|null $nextAfter  0 to 315,360,000 seconds; null: 0.0 while some remain, else $resetAfter. Only of an
     *                                   accepted decision
     * @param string|null    $name       the deciding limit's, 1 to 64 bytes of printable ASCII
     * @param string         $store      "shm", "redis", "local", "cache", "lease", "exempt" or "refuse"
     * @param int|null       $granted    0 to 1,000,000,000,000; null: 1 of an accepted decision, else 0
     * @param int|float      $wait       0 to 315,360,000 seconds
     * @param int|float      $window     the length of the limit's window for the headers, 0 to 315,360,000 seconds; 0: a
     *                                   concurrent limit
     * @throws InvalidArgument
     */
    public static function of(
        Reason $reason = Reason::Accepted,
        int $limit = 1,
        ?int $remaining = null,
        int|float|null $retryAfter = null,
        int|float|null $resetAfter = null,
        int|float|null $nextAfter = null,
        ?string $name = null,
        string $store = 'shm',
        ?int $granted = null,
        int|float $wait = 0,
        int|float $window = 60,
    ): Result {
        $outcome = (int) array_search($reason, self::REASONS, true);
        $made = new MadeDecision($outcome, $limit, $remaining, $retryAfter, $resetAfter, $nextAfter, $granted, $wait, $window);
        return new self($made->decision($name, $store));
    }

    /**
     * Returns this Result, if it was accepted.
     *
     * @throws LimitExceeded when the call was refused
     */
    public function ensureAccepted(): static
    {
        return $this->accepted ? $this : throw new LimitExceeded($this);
    }

    /**
     * Returns RateLimit-Policy and RateLimit as draft-ietf-httpapi-ratelimit-headers-11 has them, and Retry-After when the call was refused
     * and can pass later (whole seconds, rounded up, at least 1). A decision of Limit::none(), of shadow limits alone, and
     * one with ratelimit.enforce=0, have no headers.
     *
     * @param bool $legacy true: also X-RateLimit-Limit, X-RateLimit-Remaining and X-RateLimit-Reset, which is a unix time: when
     *                     the refused call passes, or else when the limit is whole again. In RateLimit the deciding limit gets
     *                     the parameters ratelimit-limit, ratelimit-remaining and ratelimit-reset (seconds), which readers of
     *                     earlier drafts understand
     * @return array<string, string> header name => value
     */
    public function headers(bool $legacy = false): array
    {
        return Http::headers($this->decision, $legacy);
    }

    /** Returns the HTTP status: 200 accepted, 429 refused, 503 refused because the store was unavailable. */
    public function status(): int
    {
        return Http::status($this->decision);
    }

    /**
     * Returns the problem details of a refusal (RFC 9457), for a body of the type application/problem+json.
     *
     * @return array<string, mixed> type, title, status and detail; retry_after in seconds, unless the call never passes;
     *                              violated-policies, the name of the limit, unless the store was unavailable
     * @throws \LogicException when the call was accepted
     */
    public function problem(): array
    {
        if ($this->accepted) {
            throw new \LogicException('FrequencyLimit\Result::problem() describes a refusal, and this call passed: check $accepted first');
        }
        return Http::problem($this->decision);
    }

    /**
     * Returns the time until the call passes, for people: "in 59 minutes", rounded up; "now" of an accepted call; "never". In
     * seconds below two minutes, in minutes below two hours, in hours below two days, else in days.
     */
    public function retryText(): string
    {
        return Http::retryText($this->decision);
    }

    /**
     * Answers the request that is being served: sends headers() and, on a refusal, status() and problem() as JSON. The script
     * continues. After an accepted decision it sends the headers alone.
     *
     * Several decisions of a request add up: the headers list the limits of all of them, by name, and Retry-After is the longest.
     * The first refusal sets the body. If that has left for the client already, later ones change nothing.
     *
     * @param bool $legacy as in headers(), of the last decision
     * @throws \LogicException when headers were already sent
     */
    public function send(bool $legacy = false): void
    {
        Response::send($this->decision, $legacy);
    }
}
