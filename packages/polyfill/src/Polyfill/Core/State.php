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
    /** The bans that have escalated, and the moment from which on they are forgotten. */
    public int $level = 0;
    public int $forgetAt = PHP_INT_MIN;

    /** @phpstan-assert-if-true !null $this->ban */
    public function isBanned(Now $now): bool
    {
        return $this->ban !== null && $this->ban->end > $now->mono;
    }

    /** Returns the bans that have escalated and are not forgotten. */
    public function levelAt(Now $now): int
    {
        return $this->forgetAt > $now->mono ? $this->level : 0;
    }

    /** Returns the moment from which on the state equals none. */
    public function expiresAt(Now $now): int
    {
        $end = max($this->ban->end ?? PHP_INT_MIN, $this->forgetAt);
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
        if ($this->levelAt($now) === 0) {
            $this->level = 0;
            $this->forgetAt = PHP_INT_MIN;
        }
    }

    public function isEmpty(): bool
    {
        return $this->ban === null && !$this->limits && $this->level === 0;
    }
}
