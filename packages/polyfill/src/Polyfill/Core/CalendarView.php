<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** A calendar window's limit state by the clock of one call, and the window that is judged. */
final class CalendarView
{
    /**
     * @param array<int, int> $windows those that are not over: end => count
     * @param int             $ahead   how many of the last are booked and have not come
     * @param int             $period  the number of the Period
     * @param int             $end     of the window that is judged
     * @param bool            $exists  the window that is judged is one of the windows
     * @param int             $count   of the window that is judged
     */
    public function __construct(
        public readonly array $windows,
        public readonly int $ahead,
        public readonly int $period,
        public readonly int $end,
        public readonly bool $exists,
        public readonly int $count,
    ) {
    }
}
