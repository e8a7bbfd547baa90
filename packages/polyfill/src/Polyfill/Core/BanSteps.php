<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** The times of bans that escalate, in microseconds: the n-th ban lasts the n-th time, later ones the last. */
final class BanSteps
{
    /** The most times. */
    public const STEPS_MAX = 16;
    /** The most bans that are counted. */
    public const LEVEL_MAX = 65_535;

    /**
     * @param non-empty-list<int> $times
     * @param int                 $forget the time after a ban's end without another one, after which they begin anew
     */
    public function __construct(public readonly array $times, public readonly int $forget)
    {
    }

    /** Returns the time of the ban that begins after so many others. */
    public function time(int $level): int
    {
        return $this->times[min($level, \count($this->times) - 1)];
    }
}
