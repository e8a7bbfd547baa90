<?php

declare(strict_types=1);

namespace FrequencyLimit;

use FrequencyLimit\Polyfill\Core\Answer;
use FrequencyLimit\Polyfill\Decision;
use FrequencyLimit\Polyfill\Http;
use FrequencyLimit\Polyfill\NotSerializable;

/** A decision. */
final class Result
{
    use NotSerializable;

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
    /** The deciding limit's name. */
    public readonly ?string $name;
    /**
     * The store that decided: "shm" (here the memory of this process), "redis" or "local" (Redis was unavailable). With
     * Reason::StoreUnavailable: the store that failed.
     */
    public readonly string $store;
    /** The cost that was counted; less than what was asked for with $atLeast. 0: refused. */
    public readonly int $granted;
    /** Seconds until the turn of a permit that waits in line; 0.0: now. */
    public readonly float $wait;

    private function __construct(private readonly Decision $decision)
    {
        $answer = $decision->answer;
        $this->accepted = $answer->accepted;
        $this->reason = self::REASONS[$answer->outcome];
        $this->limit = $answer->limit;
        $this->remaining = $answer->remaining;
        $this->retryAfter = $answer->retry === Answer::NEVER ? null : $answer->retry / 1e6;
        $this->resetAfter = $answer->reset / 1e6;
        $this->name = $decision->policy()->name;
        $this->store = $answer->store;
        $this->granted = $answer->granted;
        $this->wait = $answer->wait / 1e6;
    }

    private function __clone()
    {
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
     * Returns RateLimit-Policy and RateLimit as structured fields of the IETF draft, and Retry-After when the call was refused
     * and can pass later (whole seconds, rounded up, at least 1).
     *
     * @return array<string, string> header name => value
     */
    public function headers(): array
    {
        return Http::headers($this->decision);
    }

    /**
     * Answers the request that is being served: sends headers() and, on a refusal, the status 429 (503 where the store was
     * unavailable) and a body of problem details (RFC 9457). The script continues. After an accepted decision it sends the
     * headers alone.
     *
     * @throws \LogicException when headers were already sent
     */
    public function send(): void
    {
        Http::send($this->decision);
    }
}
