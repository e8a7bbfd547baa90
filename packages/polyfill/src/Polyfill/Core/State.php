<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** The state of one identity in a limiter. */
final class State
{
    /** The most limit states that are kept without a limit. */
    private const UNMATCHED_MAX = 8;

    public ?Ban $ban = null;
    /** @var list<LimitState> */
    public array $limits = [];

    public function isBanned(Now $now): bool
    {
        return $this->ban !== null && $this->ban->end > $now->mono;
    }

    /** Returns the moment from which on the state equals none. */
    public function expiresAt(Now $now): int
    {
        $end = $this->ban->end ?? PHP_INT_MIN;
        foreach ($this->limits as $limit) {
            $end = max($end, $limit->expiresAt($now));
        }
        return $end;
    }

    /**
     * Sets the limit states: those of the limits, then the others.
     *
     * @param list<LimitState> $matched
     * @param list<LimitState> $unmatched
     */
    public function set(array $matched, array $unmatched, Now $now): void
    {
        $this->limits = [];
        foreach ($matched as $limit) {
            if ($limit->expiresAt($now) > $now->mono) {
                $this->limits[] = $limit;
            }
        }
        array_push($this->limits, ...\array_slice($unmatched, 0, self::UNMATCHED_MAX));
        if ($this->ban !== null && $this->ban->end <= $now->mono) {
            $this->ban = null;
        }
    }

    public function isEmpty(): bool
    {
        return $this->ban === null && !$this->limits;
    }
}
