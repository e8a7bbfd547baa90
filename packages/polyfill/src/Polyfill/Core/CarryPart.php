<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** What the window of a limit with carry() took over, and what it leaves. Times are of the limit's own clock: the wall clock of a calendar window, else the monotonic one. */
final class CarryPart
{
    /**
     * @param int $period  a calendar window's number of its Period, else microseconds
     * @param int $end     of the window
     * @param int $until   the moment from which on it has no effect
     */
    public function __construct(
        public readonly int $algorithm,
        public readonly int $period,
        public readonly int $end,
        public readonly int $carried,
        public readonly int $left,
        public readonly int $until,
    ) {
    }

    /** Returns the moment of the monotonic clock from which on it has no effect. */
    public function keptUntil(Now $now): int
    {
        return $this->until - self::ownNow($this->algorithm, $now) + $now->mono;
    }

    /** Returns the time of an algorithm's clock. */
    public static function ownNow(int $algorithm, Now $now): int
    {
        return $algorithm === Algorithm::CALENDAR_WINDOW ? $now->wall : $now->mono;
    }
}
