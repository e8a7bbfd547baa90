<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill;

use DateTimeImmutable;
use DateTimeZone;

/**
 * Finds the windows of a clock: minutes, hours, days, weeks and months in a time zone. A window ends at the first moment with
 * another label. A day's label is its date, a week's its Monday, a month's its year and month. That of an hour or a minute
 * has the offset from UTC, too, so that an hour which the clock shows twice is two windows.
 */
final class Calendar
{
    /** The numbers of the periods, as Redis stores them. */
    public const PERIODS = ['minute' => 1, 'hour' => 2, 'day' => 3, 'week' => 4, 'month' => 5];

    private const MINUTE = 1;
    private const HOUR = 2;
    private const DAY_S = 86_400;
    /** The longest window, a month with a zone's shift, in seconds. */
    private const LONGEST = 33 * self::DAY_S;
    /** The windows that are kept; each is the latest of its zone and period. */
    private const KEPT_MAX = 64;

    /** @var array<string, array{int, int, int}> by period and zone: begin, end, end of the next one, in us */
    private static array $latest = [];

    /**
     * Returns begin and end of the window that contains a moment of the wall clock, and the end of the next one; all in
     * microseconds.
     *
     * @param int $period one of PERIODS
     * @return array{int, int, int}
     */
    public static function windows(string $zone, int $period, int $wall): array
    {
        $windows = self::$latest["$period $zone"] ?? null;
        if ($windows !== null && $windows[0] <= $wall && $wall < $windows[1]) {
            return $windows;
        }
        if (\count(self::$latest) >= self::KEPT_MAX) {
            self::$latest = [];
        }
        return self::$latest["$period $zone"] = self::find(new DateTimeZone($zone), $period, self::floorDiv($wall, 1_000_000));
    }

    /** @return array{int, int, int} */
    private static function find(DateTimeZone $zone, int $period, int $t): array
    {
        $segments = self::segments($zone, $t - self::LONGEST, $t + 3 * self::LONGEST);
        $end = self::end($segments, $period, $t);
        return [self::begin($segments, $period, $t) * 1_000_000, $end * 1_000_000, self::end($segments, $period, $end) * 1_000_000];
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
        switch ($period) {
            case self::MINUTE:
            case self::HOUR:
                $length = $period === self::MINUTE ? 60 : 3600;
                $begin = self::floorDiv($local, $length) * $length;
                return [$begin, $begin + $length];
            case 3:
                return [$day * self::DAY_S, ($day + 1) * self::DAY_S];
            case 4:
                /* The first of January 1970 was a Thursday. */
                $monday = self::floorDiv($day + 3, 7) * 7 - 3;
                return [$monday * self::DAY_S, ($monday + 7) * self::DAY_S];
            default:
                $year = (int) gmdate('Y', $local);
                $month = (int) gmdate('n', $local);
                return [(int) gmmktime(0, 0, 0, $month, 1, $year), (int) gmmktime(0, 0, 0, $month + 1, 1, $year)];
        }
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
