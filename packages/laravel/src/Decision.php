<?php

namespace FrequencyLimit\Laravel;

use FrequencyLimit\Reason;
use FrequencyLimit\Result;

/** One decision about all limits of a request or a job. */
final class Decision
{
    /**
     * @param  array<int, int>  $remaining  what remains of each limit after an accepted call
     * @param  array<int, float>  $resetAfter  seconds until the end of each limit's window
     * @param  int|null  $refusedBy  the index of the limit that refuses; null: the call passes
     * @param  int  $retryAfter  seconds until the refused call passes, rounded up
     * @param  bool  $unavailable  the store did not answer, and ratelimit.on_failure refuses
     */
    private function __construct(
        public readonly array $remaining,
        public readonly array $resetAfter = [],
        public readonly ?int $refusedBy = null,
        public readonly int $retryAfter = 0,
        public readonly bool $unavailable = false,
    ) {
    }

    /**
     * @param  array<int, int>  $remaining
     * @param  array<int, float>  $resetAfter
     */
    public static function accepted(array $remaining, array $resetAfter): self
    {
        return new self($remaining, $resetAfter);
    }

    public static function refused(int $by, int $retryAfter): self
    {
        return new self([], [], $by, $retryAfter);
    }

    public static function of(Result $result, int $limit): self
    {
        return $result->accepted
            ? new self([$limit => $result->remaining], [$limit => $result->resetAfter])
            : new self([], [], $limit, Windows::wholeSeconds($result->retryAfter ?? $result->resetAfter), $result->reason === Reason::StoreUnavailable);
    }
}
