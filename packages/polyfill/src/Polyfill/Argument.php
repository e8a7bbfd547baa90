<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill;

use DateTimeInterface;
use FrequencyLimit\InvalidArgument;
use FrequencyLimit\Period;
use FrequencyLimit\Polyfill\Core\BanKind;
use FrequencyLimit\Polyfill\Core\BanSteps;
use FrequencyLimit\Polyfill\Core\Bounds;
use FrequencyLimit\Polyfill\Core\Calendar;

/** Checks arguments, with the messages of the extension: they name the argument, its value and the bound. */
final class Argument
{
    public static function invalid(string $message): InvalidArgument
    {
        return new InvalidArgument("非法参数: $message");
    }

    public static function range(string $argument, int $value, int $min, int $max): int
    {
        if ($value < $min || $value > $max) {
            throw self::invalid("$argument must be between $min and $max, $value given");
        }
        return $value;
    }

    public static function bytes(string $argument, string $value, int $max = Bounds::NAME_MAX): string
    {
        $length = \strlen($value);
        if ($length < 1 || $length > $max) {
            throw self::invalid("$argument must be between 1 and $max bytes long, $length given");
        }
        return $value;
    }

    /** Checks a limit's name. */
    public static function name(string $argument, string $name): string
    {
        self::bytes($argument, $name, Bounds::LIMIT_NAME_MAX);
        if (preg_match('/[^\x20-\x7e]/', $name, $found, PREG_OFFSET_CAPTURE) === 1) {
            throw self::invalid(sprintf('%s must be printable ASCII, byte 0x%02x given at %d', $argument, \ord($found[0][0]), $found[0][1]));
        }
        return $name;
    }

    /**
     * Returns an identity; the digits of an int are that int. PHP would make identity 0 of null, and 1 of true and of 1.5, and
     * so one count of many users: so nothing is converted, not even without strict_types.
     *
     * @param string $method and $position of the parameter, for PHP's message
     */
    public static function identity(mixed $id, string $method, int $position = 1, string $argument = '$id'): int|string
    {
        if (\is_int($id)) {
            return $id;
        }
        return \is_string($id) ? self::identityText($argument, $id) : throw self::noIdentity($id, $method, $position, $argument);
    }

    /** Returns the user of doHandle(): an int, or the digits of one. PHP itself would make another user's number of 1.5, "1e2" and true. */
    public static function userId(mixed $id): int
    {
        if (\is_string($id) && is_numeric($id) && \is_int($id + 0)) {
            $id = (int) $id;
        }
        return \is_int($id) ? $id : throw self::noIdentity($id, '::doHandle', 2, '$userId', 'int');
    }

    /** Returns PHP's error for a value that is no identity. Since version 8.3 it has the value of a bool. */
    public static function noIdentity(mixed $id, string $method, int $position, string $argument, string $type = 'string|int'): \TypeError
    {
        $given = \is_bool($id) && PHP_VERSION_ID >= 80_300 ? var_export($id, true) : get_debug_type($id);
        return new \TypeError("FrequencyLimit$method(): Argument #$position ($argument) must be of type $type, $given given");
    }

    /** Returns the identity of a string. */
    public static function identityText(string $argument, string $id): int|string
    {
        if ($id !== '' && $id === (string) (int) $id) {
            return (int) $id;
        }
        return self::bytes($argument, $id);
    }

    /** Returns microseconds of seconds, from $min microseconds to ten years. */
    public static function duration(string $argument, int|float $seconds, int $min): int
    {
        return self::toDuration($seconds, $min) ?? throw self::invalid(self::noDuration($argument, $seconds, $min));
    }

    public static function toDuration(int|float $seconds, int $min): ?int
    {
        if (\is_int($seconds)) {
            return $seconds >= ($min > 0 ? 1 : 0) && $seconds <= Bounds::SECONDS_MAX ? $seconds * 1_000_000 : null;
        }
        return $seconds >= $min / 1e6 && $seconds <= Bounds::SECONDS_MAX ? (int) round($seconds * 1e6) : null;
    }

    /**
     * Returns microseconds of a list of times, none below the one before it.
     *
     * @param array<mixed> $times in seconds
     * @return non-empty-list<int>
     */
    public static function growingTimes(string $argument, array $times): array
    {
        $count = \count($times);
        if ($count < 1 || $count > BanSteps::STEPS_MAX) {
            throw self::invalid("$argument must have 1 to " . BanSteps::STEPS_MAX . " times, $count given");
        }
        $list = [];
        $before = 0;
        foreach (array_values($times) as $i => $time) {
            $where = "$argument (position $i)";
            if (!\is_int($time) && !\is_float($time)) {
                throw self::invalid("$where must be an int or a float, " . get_debug_type($time) . ' given');
            }
            $us = self::duration($where, $time, Bounds::PERIOD_MIN_US);
            if ($us < $before) {
                throw self::invalid(sprintf('%s must be at least the time before it, %.10H, %.10H given', $where, $before / 1e6, $us / 1e6));
            }
            $list[] = $before = $us;
        }
        return $list;
    }

    /**
     * Returns the kind of a ban by hand, and its time or its moment in microseconds.
     *
     * @param int $now in microseconds of the wall clock
     * @return array{int, int}
     */
    public static function banEnd(string $argument, int|float|Period|DateTimeInterface $end, int $now): array
    {
        if ($end instanceof Period) {
            return [BanKind::UNTIL, Calendar::windows((string) Calendar::zoneName(null), Calendar::PERIODS[$end->value], $now)[1]];
        }
        if ($end instanceof DateTimeInterface) {
            return [BanKind::UNTIL, self::comingMoment($argument, $end, $now)];
        }
        /* A number that is no duration of a ban is often a unix time. */
        return [BanKind::FOR, self::toDuration($end, Bounds::PERIOD_MIN_US) ?? throw self::invalid(
            self::noDuration($argument, $end, Bounds::PERIOD_MIN_US) . '; a number is a duration, a moment is a DateTimeInterface',
        )];
    }

    /** Returns the message for seconds that are no duration. */
    public static function noDuration(string $argument, int|float $seconds, int $min): string
    {
        return "$argument must be between " . ($min > 0 ? '0.001' : '0') . ' and ' . Bounds::SECONDS_MAX . ' seconds, '
            . self::shown($seconds) . ' given';
    }

    /** PHP warns of the text of NAN since version 8.5. */
    private static function shown(int|float $number): string
    {
        return \is_float($number) && is_nan($number) ? 'NAN' : (string) $number;
    }

    /** Returns a moment of the years 1970 to 9999 in microseconds: of a unix time, or a date. */
    public static function moment(string $argument, int|float|DateTimeInterface $moment): int
    {
        if ($moment instanceof DateTimeInterface) {
            [$seconds, $us] = array_map(intval(...), explode(' ', self::format($moment)));
            if ($seconds < 0 || $seconds > Bounds::MOMENT_MAX_S) {
                throw self::invalid("$argument must be in the years 1970 to 9999");
            }
            return $seconds * 1_000_000 + $us;
        }
        if ($moment >= 0 && $moment <= Bounds::MOMENT_MAX_S) {
            return \is_int($moment) ? $moment * 1_000_000 : (int) round($moment * 1e6);
        }
        throw self::invalid("$argument must be between 0 and " . Bounds::MOMENT_MAX_S . ', ' . self::shown($moment) . ' given');
    }

    /** Calls PHP's own format(), which a class of the user's may have overridden. */
    private static function format(DateTimeInterface $moment): string
    {
        return \DateTimeImmutable::createFromInterface($moment)->format('U u');
    }

    /**
     * Returns a moment from now to ten years later. One that is past by less than a second, as time() always is, stays as it
     * is: a store whose clock is a little behind must not see it in the future.
     */
    public static function comingMoment(string $argument, int|float|DateTimeInterface $moment, int $now): int
    {
        $at = self::moment($argument, $moment);
        if ($at <= $now - 1_000_000 || $at - $now > Bounds::PERIOD_MAX_US) {
            throw self::invalid(sprintf(
                '%s must be between now (%s) and %d seconds later, %s given',
                $argument,
                self::momentText($now),
                Bounds::SECONDS_MAX,
                self::momentText($at),
            ));
        }
        return $at;
    }

    private static function momentText(int $us): string
    {
        return sprintf('%d.%06d', intdiv($us, 1_000_000), $us % 1_000_000);
    }
}
