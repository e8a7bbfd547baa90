<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Limit;

use FrequencyLimit\Polyfill\Core\Calendar;

/** Reads and writes the period of a calendar window as a word (week-sun, every-3mo), and the anchor of an interval as a date. */
final class CalendarText
{
    /** Examples of an anchor, for messages: of months and days, and of seconds. */
    public const ANCHORS = ['2026-01-31 or 2026-01-31T09:00:00', '2026-01-31T09:00:00Z'];

    private const DAYS = [2 => 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
    /** The units of intervals, with the least and the most in ten years. */
    private const UNITS = ['mo' => [Calendar::EVERY_MONTHS, 1, 120], 'd' => [Calendar::EVERY_DAYS, 1, 3_650],
        's' => [Calendar::EVERY_SECONDS, 60, 315_360_000]];

    /** Returns the number of a period; 0: there is none of that word. */
    public static function read(string $word): int
    {
        if (isset(Calendar::PERIODS[$word])) {
            return Calendar::PERIODS[$word];
        }
        foreach (self::DAYS as $day => $name) {
            if ($word === "week-$name") {
                return Calendar::weekFrom($day);
            }
        }
        if (preg_match('/^every-([1-9][0-9]{0,8})(mo|d|s)$/D', $word, $found) !== 1) {
            return 0;
        }
        [$unit, $least, $most] = self::UNITS[$found[2]];
        $n = (int) $found[1];
        return $n >= $least && $n <= $most ? Calendar::every($unit, $n) : 0;
    }

    public static function period(int $period): string
    {
        if (Calendar::isInterval($period)) {
            foreach (self::UNITS as $word => [$unit]) {
                if (Calendar::every($unit, $period >> 8) === $period) {
                    return 'every-' . ($period >> 8) . $word;
                }
            }
        }
        foreach (self::DAYS as $day => $name) {
            if (Calendar::weekFrom($day) === $period) {
                return "week-$name";
            }
        }
        return (string) array_search($period, Calendar::PERIODS, true);
    }

    /** Returns 1 for an interval of seconds, whose anchor is a moment, else 0. */
    public static function isOfSeconds(int $period): int
    {
        return ($period & 0xff) === Calendar::EVERY_SECONDS ? 1 : 0;
    }

    /** Returns the anchor of a text, as Calendar::anchor() has it; null: the text is none. */
    public static function readAnchor(string $text, int $period): ?int
    {
        if (preg_match('/^\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d)?Z?$/D', $text) !== 1) {
            return null;
        }
        $at = date_create_immutable(rtrim($text, 'Z'), new \DateTimeZone('UTC'));
        /* A day that there is not reads as another one. */
        return $at !== false && $at->format('Y') >= 1969 && self::anchor($period, $at->getTimestamp()) === str_replace('T00:00:00', '', $text) ? $at->getTimestamp() : null;
    }

    public static function anchor(int $period, int $anchor): string
    {
        return gmdate($anchor % 86_400 === 0 ? 'Y-m-d' : 'Y-m-d\TH:i:s', $anchor) . (self::isOfSeconds($period) === 1 ? 'Z' : '');
    }
}
