<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Limit;

use FrequencyLimit\Limit;
use FrequencyLimit\Polyfill\Access;
use FrequencyLimit\Polyfill\Argument;
use FrequencyLimit\Polyfill\Core\Algorithm;
use FrequencyLimit\Polyfill\Core\BanSteps;
use FrequencyLimit\Polyfill\Core\Bounds;
use FrequencyLimit\Polyfill\Core\Calendar;
use FrequencyLimit\Polyfill\Core\Rule;
use FrequencyLimit\Polyfill\Time;

/** Reads the text of a limit, with the messages of the extension. */
final class LimitParser
{
    private const SHOWN_MAX = 48;
    private const OPTIONS = ['burst', 'from', 'ban', 'bans', 'forget', 'lease', 'shadow', 'unit', 'by', 'name'];
    private const NONE = 'none';
    private const LOOKS = 'a limit looks like fixed:10/30s or log:5/60s,name=minute';

    private function __construct(private readonly string $text)
    {
    }

    public static function parse(string $text): Limit
    {
        try {
            return (new self($text))->limit();
        } catch (\UnexpectedValueException $e) {
            throw Argument::invalid('"' . substr($text, 0, 128) . "\" is not a limit: {$e->getMessage()}");
        }
    }

    private static function wrong(string $reason): \UnexpectedValueException
    {
        return new \UnexpectedValueException($reason);
    }

    private static function shown(string $piece): string
    {
        return substr($piece, 0, self::SHOWN_MAX);
    }

    private function limit(): Limit
    {
        if ($this->text === self::NONE) {
            return Limit::none();
        }
        if (str_starts_with($this->text, self::NONE . ',')) {
            $values = self::options(self::NONE, 0, explode(',', substr($this->text, \strlen(self::NONE) + 1)));
            return Access::limit(LimitData::none($values['name'] ?? null, $values['by'] ?? null));
        }
        if (preg_match('/^([^:,]*):(.*)$/Ds', $this->text, $found) !== 1) {
            throw self::wrong(self::LOOKS);
        }
        [, $word, $rest] = $found;
        $algorithm = array_search($word, array_map(static fn (array $row): string => $row['word'], Algorithm::ROWS), true);
        if ($algorithm === false) {
            throw self::wrong('there is no "' . self::shown($word) . '": fixed, log, window, calendar, bucket or concurrent');
        }
        $options = explode(',', $rest);
        $first = (string) array_shift($options);
        if (preg_match('~^([0-9]{1,15})/(.*)$~Ds', $first, $found) !== 1) {
            throw self::wrong('"' . self::shown($first) . '" must be a number, a slash and a period, as 10/30s');
        }
        return $this->make($algorithm, (int) $found[1], $found[2], $options);
    }

    /** @param list<string> $options */
    private function make(int $algorithm, int $number, string $per, array $options): Limit
    {
        ['word' => $word, 'factory' => $factory, 'max' => $max] = Algorithm::ROWS[$algorithm];
        self::checkNumber($word === 'bucket' ? 'rate' : 'limit', $number, $max);
        $isCalendar = $word === 'calendar';
        if (!$isCalendar && str_contains($per, '@')) {
            throw self::wrong('only a calendar has a time zone');
        }
        $seconds = $isCalendar ? 0 : self::duration($per);
        [$period, $zone] = $isCalendar ? self::calendar($per) : [0, null];
        $values = self::options($word, $period, $options);
        $bans = self::bans($values['bans'] ?? null, $values['forget'] ?? null);
        if (Calendar::isInterval($period) && !isset($values['from'])) {
            throw self::wrong('a calendar of an interval needs its begin, as from=2026-01-31');
        }
        $limit = match ($factory) {
            'calendar' => self::calendarLimit($number, $period, $zone, $values['from'] ?? ''),
            'tokenBucket' => self::bucket($number, $seconds, isset($values['burst']) ? (int) $values['burst'] : null),
            default => Limit::{$factory}($number, $seconds),
        };
        if (isset($values['lease'])) {
            $limit = $limit->leased();
        }
        if (isset($values['shadow'])) {
            $limit = $limit->shadow();
        }
        if (isset($values['unit'])) {
            $limit = $limit->unit($values['unit']);
        }
        if (isset($values['by'])) {
            $limit = $limit->by($values['by']);
        }
        if (isset($values['name'])) {
            $limit = $limit->named($values['name']);
        }
        if ($bans !== null) {
            return $limit->ban(...$bans);
        }
        return isset($values['ban']) ? self::ban($limit, $values['ban'], $isCalendar) : $limit;
    }

    private static function bucket(int $rate, int|float $seconds, ?int $burst): Limit
    {
        try {
            return Limit::tokenBucket($rate, $seconds, $burst);
        } catch (\FrequencyLimit\InvalidArgument) {
            throw self::wrong('a bucket must fill within ' . Bounds::SECONDS_MAX . ' seconds');
        }
    }

    private static function checkNumber(string $name, int $number, int $max): void
    {
        if ($number < 1 || $number > $max) {
            throw self::wrong("$name must be between 1 and $max, $number given");
        }
    }

    /** Returns seconds of a text such as 500ms or 1.5h, rounded to a microsecond. */
    private static function duration(string $piece): int|float
    {
        if (preg_match('/^([0-9]{1,15})(?:\.([0-9]{1,6}))?(w|d|h|m|s|ms)$/D', $piece, $found) !== 1) {
            throw self::wrong('a duration looks like 500ms, 30s, 5m, 2h, 1d or 1w, "' . self::shown($piece) . '" given');
        }
        $unit = LimitText::UNITS[$found[3]];
        $whole = (int) $found[1];
        $us = $whole > intdiv(Bounds::PERIOD_MAX_US, $unit) ? Bounds::PERIOD_MAX_US + 1
            : $whole * $unit + intdiv((int) str_pad($found[2], 6, '0') * intdiv($unit, 1000) + 500, 1000);
        if ($us < Bounds::PERIOD_MIN_US || $us > Bounds::PERIOD_MAX_US) {
            throw self::wrong('a duration must be between 1ms and 3650d, "' . self::shown($piece) . '" given');
        }
        return $us % 1_000_000 === 0 ? intdiv($us, 1_000_000) : $us / 1e6;
    }

    /**
     * Returns the number of the period, and the zone.
     *
     * @return array{int, ?string}
     */
    private static function calendar(string $per): array
    {
        [$word, $zone] = self::splitAtZone($per);
        $period = CalendarText::read($word);
        if ($period === 0) {
            throw self::wrong('a calendar counts per minute, hour, day, week (week-sun), month, quarter, year or every-1mo, "'
                . self::shown($word) . '" given');
        }
        if ($zone !== null) {
            self::checkZone($zone);
        }
        return [$period, $zone];
    }

    /** @return array{string, ?string} */
    private static function splitAtZone(string $text): array
    {
        $at = strpos($text, '@');
        return $at === false ? [$text, null] : [substr($text, 0, $at), substr($text, $at + 1)];
    }

    private static function calendarLimit(int $number, int $period, ?string $zone, string $from): Limit
    {
        $name = Calendar::zoneName($zone) ?? throw self::wrong("\"$zone\" must be a time zone that DateTimeZone takes");
        $anchor = CalendarText::readAnchor($from, $period) ?? 0;
        return Access::limit(new LimitData(new Rule(Algorithm::CALENDAR_WINDOW, $number, calendar: $period), null, $name, 0, $anchor));
    }

    private static function checkZone(string $zone): void
    {
        if ($zone === '' || \strlen($zone) > 63 || str_contains($zone, "\0")) {
            throw self::wrong('a time zone looks like Asia/Shanghai, "' . self::shown($zone) . '" given');
        }
    }

    /**
     * Reads the options behind the period, each once and in any order.
     *
     * @param list<string> $options
     * @return array<string, string>
     */
    private static function options(string $word, int $period, array $options): array
    {
        $values = [];
        foreach ($options as $option) {
            [$name, $value] = explode('=', $option, 2) + [1 => ''];
            $isWrong = $name === 'shadow' || $name === 'lease' ? $option !== $name : $value === '';
            if (!\in_array($name, self::OPTIONS, true) || isset($values[$name]) || $isWrong) {
                throw self::wrongOption($name, $option);
            }
            if ($word === self::NONE && $name !== 'by' && $name !== 'name') {
                throw self::wrong(self::LOOKS);
            }
            $values[$name] = match ($name) {
                'burst' => self::burst($word, $value),
                'from' => self::from($period, $value),
                'unit' => self::unit($word, $value),
                'by', 'name' => self::name($value),
                'bans' => self::checkBans($word, $value, isset($values['ban'])),
                'forget' => self::checkForget($value),
                'lease', 'shadow' => $value,
                default => self::checkBan($word, $value, isset($values['bans'])),
            };
        }
        return $values;
    }

    private static function wrongOption(string $name, string $option): \UnexpectedValueException
    {
        $shown = '"' . self::shown($option) . '"';
        return self::wrong(match ($name) {
            'carry' => "a limit has no carry-over, $shown given",
            'lease' => "write \"lease\", once: the machine chooses the number, $shown given",
            default => "$shown is not an option of it",
        });
    }

    private static function burst(string $word, string $value): string
    {
        if ($word !== 'bucket') {
            throw self::wrong('only a bucket has a burst');
        }
        if (preg_match('/^[0-9]{1,15}$/D', $value) !== 1) {
            throw self::wrong('a burst is a number, "' . self::shown($value) . '" given');
        }
        self::checkNumber('burst', (int) $value, Bounds::LIMIT_MAX);
        return $value;
    }

    private static function from(int $period, string $value): string
    {
        if (!Calendar::isInterval($period)) {
            throw self::wrong('only a calendar of an interval (every-1mo) begins at a moment');
        }
        if (CalendarText::readAnchor($value, $period) === null) {
            throw self::wrong('an interval begins at a moment as ' . CalendarText::ANCHORS[CalendarText::isOfSeconds($period)]
                . ', "' . self::shown($value) . '" given');
        }
        return $value;
    }

    private static function unit(string $word, string $value): string
    {
        if ($word === 'concurrent') {
            throw self::wrong('a concurrent limit has the unit concurrent-requests, "' . self::shown($value) . '" given');
        }
        return self::name($value);
    }

    private static function name(string $value): string
    {
        if (preg_match('/%(?![0-9A-Fa-f]{2})/', $value) === 1) {
            throw self::wrong('in a name %25 stands for the percent sign, "' . self::shown($value) . '" given');
        }
        $name = rawurldecode($value);
        if (preg_match('/[^\x20-\x7e]/', $name) === 1) {
            throw self::wrong('a name must be printable ASCII, "' . self::shown($value) . '" given');
        }
        if (\strlen($name) > Bounds::LIMIT_NAME_MAX) {
            throw self::wrong('a name must be between 1 and ' . Bounds::LIMIT_NAME_MAX . ' bytes long, "' . self::shown($value) . '" given');
        }
        return $name;
    }

    private static function checkBan(string $word, string $value, bool $hasBans): string
    {
        if ($word === 'concurrent') {
            throw self::wrong('a concurrent limit has no ban');
        }
        if ($hasBans) {
            throw self::wrong('no limit has both ban and bans');
        }
        [$period, $zone] = self::splitAtZone($value);
        if ($period === '' && $zone !== null) {
            if (preg_match('/^[0-9]{1,15}(\.[0-9]{1,6})?$/D', $zone) !== 1 || (int) $zone > Bounds::MOMENT_MAX_S) {
                throw self::wrong('a moment is a unix time as @1900000000, "' . self::shown($value) . '" given');
            }
        } elseif (self::banPeriod($period) === 0) {
            self::duration($value);
        } elseif ($zone !== null) {
            if ($word === 'calendar') {
                throw self::wrong('a ban until a period is in the time zone of the calendar, "' . self::shown($value) . '" given');
            }
            self::checkZone($zone);
        }
        return $value;
    }

    private static function checkBans(string $word, string $value, bool $hasBan): string
    {
        if ($word === 'concurrent' || $hasBan) {
            throw self::wrong('a concurrent limit has no bans, and no limit has both ban and bans');
        }
        $before = 0;
        foreach (self::times($value) as $i => $piece) {
            if ($i === BanSteps::STEPS_MAX) {
                throw self::wrong('bans have at most ' . BanSteps::STEPS_MAX . ' times');
            }
            $time = self::duration($piece);
            if ($time < $before) {
                throw self::wrong('a ban must be at least as long as the one before it, "' . self::shown($piece) . '" given');
            }
            $before = $time;
        }
        return $value;
    }

    private static function checkForget(string $value): string
    {
        self::duration($value);
        return $value;
    }

    /**
     * Splits 1m+10m+1h.
     *
     * @return non-empty-list<string>
     */
    private static function times(string $value): array
    {
        return explode('+', strtr($value, ' ', '+'));
    }

    /**
     * Returns the arguments of Limit::ban() for a list of times, or null.
     *
     * @return array{non-empty-list<int|float>, int|float}|null
     */
    private static function bans(?string $bans, ?string $forget): ?array
    {
        if (($bans === null) !== ($forget === null)) {
            throw self::wrong('bans and forget need each other, as bans=1m+10m,forget=1d');
        }
        if ($bans === null || $forget === null) {
            return null;
        }
        $times = array_map(self::duration(...), self::times($bans));
        if (self::duration($forget) < max($times)) {
            throw self::wrong('forget must be at least the longest time of bans');
        }
        return [$times, self::duration($forget)];
    }

    /** Returns the number of the period of that word; 0: there is none. */
    private static function banPeriod(string $word): int
    {
        $period = CalendarText::read($word);
        return Calendar::isInterval($period) ? 0 : $period;
    }

    /** Sets the ban of 1h, day, day@Asia/Shanghai or @1900000000. */
    private static function ban(Limit $limit, string $value, bool $isCalendar): Limit
    {
        [$word, $zone] = self::splitAtZone($value);
        if ($word === '') {
            $at = \DateTimeImmutable::createFromFormat('U.u', str_contains((string) $zone, '.') ? (string) $zone : "$zone.0");
            if ($at === false || Argument::moment('$end', $at) > Time::wall() + Bounds::PERIOD_MAX_US) {
                throw self::wrong('a ban must end within ten years from now, @' . (int) $zone . ' given');
            }
            return $limit->ban($at);
        }
        $period = self::banPeriod($word);
        if ($period === 0) {
            return $limit->ban(self::duration($value));
        }
        $calendar = Access::limitData($limit)->rule->calendar;
        if ($period === Calendar::WEEK && Calendar::isWeek($calendar)) {
            $period = $calendar; /* from the day of the calendar's week */
        }
        $name = $isCalendar ? $limit->timezone : Calendar::zoneName($zone) ?? throw self::wrong("\"$zone\" must be a time zone that DateTimeZone takes");
        return Access::withBanPeriod($limit, $period, (string) $name);
    }
}
