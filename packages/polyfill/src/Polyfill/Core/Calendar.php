<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

use DateTimeImmutable;
use DateTimeZone;

/**
 * Finds the windows of a clock in a time zone. A window of a period ends at the first moment with another label. A day's label
 * is its date, a week's its first day, that of a month, a quarter or a year its number. That of an hour or a minute has the
 * offset from UTC, too, so that an hour which the clock shows twice is two windows. A window of an interval ends when the clock
 * first shows the anchor's time, moved by a number of intervals, or a later time.
 */
final class Calendar
{
    /** The numbers of the periods, as Redis stores them. */
    public const PERIODS = ['minute' => 1, 'hour' => 2, 'day' => 3, 'week' => self::WEEK, 'month' => 5, 'quarter' => 6, 'year' => 7];
    public const WEEK = 4;
    /** With 2 to 7 added: a week that begins on Tuesday to Sunday. */
    private const WEEK_FROM = 8;
    /* Intervals, counted from an anchor, of so many units: the number of units is in the higher bits. */
    public const EVERY_MONTHS = 16;
    public const EVERY_DAYS = 17;
    public const EVERY_SECONDS = 18;
    private const UNITS_AT = 8;

    private const MINUTE = 1;
    private const HOUR = 2;
    private const DAY = 3;
    private const MONTHS = [5 => 1, 6 => 3, 7 => 12];
    private const DAY_S = 86_400;
    /** No zone's offset from UTC is as long, in seconds. */
    private const OFFSET_MAX = 360_000;
    /** The windows that are kept; each is the latest of its zone and period. */
    private const KEPT_MAX = 64;

    /** @var array<string, array{int, int, int}> by period, anchor and zone: begin, end, end of the next one, in us */
    private static array $latest = [];

    /** Returns the period of a week that begins on a day, 1 (Monday) to 7. */
    public static function weekFrom(int $day): int
    {
        return $day === 1 ? self::WEEK : self::WEEK_FROM + $day;
    }

    public static function isWeek(int $period): bool
    {
        return $period === self::WEEK || ($period > self::WEEK_FROM && $period < self::EVERY_MONTHS);
    }

    public static function isInterval(int $period): bool
    {
        return $period >> self::UNITS_AT > 0;
    }

    /** Returns the period of an interval. */
    public static function every(int $unit, int $n): int
    {
        return $unit | $n << self::UNITS_AT;
    }

    /**
     * Returns begin and end of the window that contains a moment of the wall clock, and the end of the next one; all in
     * microseconds.
     *
     * @param int $period one of PERIODS, of weekFrom() or of every()
     * @param int $anchor of an interval, as anchor() has it
     * @return array{int, int, int}
     */
    public static function windows(string $zone, int $period, int $wall, int $anchor = 0): array
    {
        $key = "$period $anchor $zone";
        $windows = self::$latest[$key] ?? null;
        if ($windows !== null && $windows[0] <= $wall && $wall < $windows[1]) {
            return $windows;
        }
        if (\count(self::$latest) >= self::KEPT_MAX) {
            self::$latest = [];
        }
        $timeZone = new DateTimeZone($zone);
        $t = self::floorDiv($wall, 1_000_000);
        $found = self::isInterval($period) ? self::findInterval($timeZone, $period, $anchor, $t) : self::find($timeZone, $period, $t);
        return self::$latest[$key] = array_map(static fn (int $s): int => $s * 1_000_000, $found);
    }

    /** @return array{int, int, int} */
    private static function find(DateTimeZone $zone, int $period, int $t): array
    {
        $longest = (31 * (self::MONTHS[$period] ?? 1) + 2) * self::DAY_S;
        $segments = self::segments($zone, $t - $longest, $t + 3 * $longest);
        $end = self::end($segments, $period, $t);
        return [self::begin($segments, $period, $t), $end, self::end($segments, $period, $end)];
    }

    /**
     * Returns the spans of the same offset: since when, and the offset, in seconds.
     *
     * @return non-empty-list<array{int, int}>
     */
    private static function segments(DateTimeZone $zone, int $from, int $to): array
    {
        $segments = [];
        foreach ($zone->getTransitions($from, $to) ?: [] as $transition) {
            if (!$segments || $segments[\count($segments) - 1][1] !== $transition['offset']) {
                $segments[] = [$transition['ts'], $transition['offset']];
            }
        }
        /* A zone that is an offset ("+02:00") or an abbreviation has no transitions. */
        return $segments ?: [[$from, $zone->getOffset(new DateTimeImmutable("@$from"))]];
    }

    /** @param non-empty-list<array{int, int}> $segments */
    private static function indexAt(array $segments, int $t): int
    {
        $i = 0;
        while (isset($segments[$i + 1]) && $segments[$i + 1][0] <= $t) {
            $i++;
        }
        return $i;
    }

    /** @param non-empty-list<array{int, int}> $segments */
    private static function end(array $segments, int $period, int $t): int
    {
        for ($i = self::indexAt($segments, $t);; $i++) {
            $offset = $segments[$i][1];
            [$begin, $end] = self::civil($period, $t + $offset);
            $change = $segments[$i + 1][0] ?? PHP_INT_MAX;
            if ($change > $end - $offset) {
                return $end - $offset;
            }
            /* The offset changes during the window, or exactly at its end: at midnight, back to 23:00. */
            if (!self::sameWindow($period, $begin, $change, $segments[$i + 1][1])) {
                return $change;
            }
            $t = $change;
        }
    }

    /** @param non-empty-list<array{int, int}> $segments */
    private static function begin(array $segments, int $period, int $t): int
    {
        for ($i = self::indexAt($segments, $t);; $i--) {
            [$since, $offset] = $segments[$i];
            [$begin] = self::civil($period, $t + $offset);
            if ($i === 0 || $since < $begin - $offset) {
                return $begin - $offset;
            }
            if (!self::sameWindow($period, $begin, $since - 1, $segments[$i - 1][1])) {
                return $since;
            }
            $t = $since - 1;
        }
    }

    /** Returns whether $t, at another offset, is in the window with this local begin. */
    private static function sameWindow(int $period, int $begin, int $t, int $offset): bool
    {
        return $period > self::HOUR && self::civil($period, $t + $offset)[0] === $begin;
    }

    /**
     * Returns begin and end of the period around a local second.
     *
     * @return array{int, int}
     */
    private static function civil(int $period, int $local): array
    {
        $day = self::floorDiv($local, self::DAY_S);
        if ($period === self::MINUTE || $period === self::HOUR) {
            $length = $period === self::MINUTE ? 60 : 3600;
            $begin = self::floorDiv($local, $length) * $length;
            return [$begin, $begin + $length];
        }
        if ($period === self::DAY) {
            return [$day * self::DAY_S, ($day + 1) * self::DAY_S];
        }
        if (isset(self::MONTHS[$period])) {
            $months = self::MONTHS[$period];
            $first = self::floorDiv(self::monthOf($local), $months) * $months;
            return [self::beginOfMonth($first), self::beginOfMonth($first + $months)];
        }
        /* The first of January 1970 was a Thursday: the Monday after it is day 4. */
        $weekday = 4 + ($period === self::WEEK ? 0 : $period - self::WEEK_FROM - 1);
        $begin = self::floorDiv($day - $weekday, 7) * 7 + $weekday;
        return [$begin * self::DAY_S, ($begin + 7) * self::DAY_S];
    }

    /** Returns the months since the year 0 to that of a local second. */
    private static function monthOf(int $local): int
    {
        return (int) gmdate('Y', $local) * 12 + (int) gmdate('n', $local) - 1;
    }

    private static function beginOfMonth(int $month): int
    {
        return (int) gmmktime(0, 0, 0, $month % 12 + 1, 1, intdiv($month, 12));
    }

    /* ---- Intervals ---- */

    /** Returns the anchor of an interval: of months or days its local time, of seconds the moment itself. */
    public static function anchor(string $zone, int $unit, int $t): int
    {
        return $unit === self::EVERY_SECONDS ? $t : $t + (new DateTimeZone($zone))->getOffset(new DateTimeImmutable("@$t"));
    }

    /** @return array{int, int, int} */
    private static function findInterval(DateTimeZone $zone, int $period, int $anchor, int $now): array
    {
        $units = $period >> self::UNITS_AT;
        $unit = $period & (1 << self::UNITS_AT) - 1;
        if ($unit === self::EVERY_SECONDS) {
            $begin = $anchor + self::floorDiv($now - $anchor, $units) * $units;
            return [$begin, $begin + $units, $begin + 2 * $units];
        }
        $local = $now + $zone->getOffset(new DateTimeImmutable("@$now"));
        $n = $unit === self::EVERY_DAYS ? self::floorDiv($local - $anchor, $units * self::DAY_S)
            : self::floorDiv(self::monthOf($local) - self::monthOf($anchor), $units);
        $beginOf = static fn (int $n): int => self::firstAt($zone, self::intervalBegin($unit, $units, $anchor, $n));
        while (($begin = $beginOf($n)) > $now) {
            $n--;
        }
        while (($end = $beginOf($n + 1)) <= $now) {
            $begin = $end;
            $n++;
        }
        /* A zone that skips a whole day has a window without a moment. */
        do {
            $n++;
            $next = $beginOf($n + 1);
        } while ($next <= $end);
        return [$begin, $end, $next];
    }

    /** Returns the local second at which window $n of an interval begins. */
    private static function intervalBegin(int $unit, int $units, int $anchor, int $n): int
    {
        if ($unit === self::EVERY_DAYS) {
            return $anchor + $n * $units * self::DAY_S;
        }
        $month = self::monthOf($anchor);
        $first = self::beginOfMonth($month);
        $day = self::floorDiv($anchor - $first, self::DAY_S);
        $begin = self::beginOfMonth($month + $n * $units);
        return $begin + min($day, (int) gmdate('t', $begin) - 1) * self::DAY_S + ($anchor - $first - $day * self::DAY_S);
    }

    /** Returns the first moment at which the zone's clock shows this local time or a later one. */
    private static function firstAt(DateTimeZone $zone, int $local): int
    {
        $segments = self::segments($zone, $local - self::OFFSET_MAX, $local + self::OFFSET_MAX);
        foreach ($segments as $i => [$since, $offset]) {
            $first = $i === 0 ? $local - $offset : max($since, $local - $offset);
            if ($first < ($segments[$i + 1][0] ?? PHP_INT_MAX)) {
                return $first;
            }
        }
        throw new \LogicException('The last span of an offset has no end');
    }

    /** Returns the name of a zone as DateTimeZone writes it; null: PHP's default one. Null: there is no such zone. */
    public static function zoneName(?string $zone): ?string
    {
        try {
            return (new DateTimeZone($zone ?? date_default_timezone_get()))->getName();
        } catch (\Exception) {
            return null;
        }
    }

    private static function floorDiv(int $a, int $b): int
    {
        return intdiv($a, $b) - ($a % $b < 0 ? 1 : 0);
    }
}
