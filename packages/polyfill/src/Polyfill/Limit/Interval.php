<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Limit;

use FrequencyLimit\Polyfill\Argument;
use FrequencyLimit\Polyfill\Core\Bounds;
use FrequencyLimit\Polyfill\Core\Calendar;

/** Reads the interval of Limit::every(). */
final class Interval
{
    private const MONTHS_MAX = 120;
    /** Words of DateInterval::createFromDateString() that are no number of units. */
    private const SPECIAL = '/\b(mon|tue|wed|thu|fri|sat|sun|weekdays?|first|last|of)/i';
    private const SPECIAL_PARTS = ['have_weekday_relative' => 0, 'have_special_relative' => 0, 'first_last_day_of' => 0];

    /**
     * Returns the unit, one of Calendar's, and how many of it: of years and months, of days, or of hours, minutes and seconds.
     *
     * @return array{int, int}
     */
    public static function read(\DateInterval $interval): array
    {
        [$y, $m, $d, $h, $i, $s, $us, $invert] = explode(' ', $interval->format('%y %m %d %h %i %s %f %R'));
        $parts = array_map(intval(...), [$y, $m, $d, $h, $i, $s]);
        if (min($parts) < 0 || (int) $us !== 0 || $invert === '-' || self::isSpecial(get_object_vars($interval))) {
            throw Argument::invalid('$interval must be positive, of whole seconds, and without a day such as "next monday", another one given');
        }
        $most = Bounds::SECONDS_MAX + 1; /* so that no sum overflows */
        [$y, $m, $d, $h, $i, $s] = array_map(static fn (int $part): int => min($part, $most), $parts);
        return self::unit($y * 12 + $m, $d, $h * 3600 + $i * 60 + $s);
    }

    /**
     * PHP 8.2 and later keep the text; PHP 8.1 has its parts.
     *
     * @param array<mixed> $properties
     */
    private static function isSpecial(array $properties): bool
    {
        $text = $properties['date_string'] ?? '';
        return (\is_string($text) && preg_match(self::SPECIAL, $text) === 1)
            || array_filter(array_intersect_key($properties, self::SPECIAL_PARTS)) !== [];
    }

    /** @return array{int, int} */
    private static function unit(int $months, int $days, int $seconds): array
    {
        if (($months > 0 ? 1 : 0) + ($days > 0 ? 1 : 0) + ($seconds > 0 ? 1 : 0) > 1) {
            throw Argument::invalid('$interval must be of years and months, or of weeks and days, or of hours, minutes and seconds, '
                . "$months months, $days days and $seconds seconds given");
        }
        $daysMax = intdiv(Bounds::SECONDS_MAX, 86_400);
        if ($months > self::MONTHS_MAX || $days > $daysMax || $seconds > Bounds::SECONDS_MAX || ($months === 0 && $days === 0 && $seconds < 60)) {
            $given = $months > 0 ? "$months months" : ($days > 0 ? "$days days" : "$seconds seconds");
            throw Argument::invalid("\$interval must be between a minute and ten years (120 months, $daysMax days), $given given");
        }
        return match (true) {
            $months > 0 => [Calendar::EVERY_MONTHS, $months],
            $days > 0 => [Calendar::EVERY_DAYS, $days],
            default => [Calendar::EVERY_SECONDS, $seconds],
        };
    }
}
