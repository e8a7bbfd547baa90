<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill;

use FrequencyLimit\Polyfill\Core\Now;

/** The clocks of this process, and the frozen one of FrequencyLimit\Clock. All times are in microseconds. */
final class Time
{
    /** Seventeen years: the most by which a frozen clock may be ahead. */
    private const AHEAD_MAX_US = 17 * 31_536_000_000_000;

    private static ?Now $frozen = null;
    /** The wall clock minus the monotonic one, when this process first read them. */
    private static ?int $offset = null;

    public static function now(): Now
    {
        return self::$frozen ?? new Now(self::trueMono(), self::trueWall());
    }

    public static function mono(): int
    {
        return self::$frozen !== null ? self::$frozen->mono : self::trueMono();
    }

    public static function wall(): int
    {
        return self::$frozen !== null ? self::$frozen->wall : self::trueWall();
    }

    public static function trueMono(): int
    {
        return intdiv((int) hrtime(true), 1000);
    }

    public static function trueWall(): int
    {
        $now = gettimeofday();
        return $now['sec'] * 1_000_000 + $now['usec'];
    }

    /**
     * Returns a booked moment on the monotonic clock. It keeps its place there, even if the wall clock is corrected later.
     */
    public static function booked(int $wall, Now $now): int
    {
        self::$offset ??= self::trueWall() - self::trueMono();
        return $wall - (self::$frozen !== null ? $now->wall - $now->mono : self::$offset);
    }

    /** Returns a moment of the wall clock as a date in UTC. */
    public static function date(int $us): \DateTimeImmutable
    {
        $date = new \DateTimeImmutable('@' . intdiv($us, 1_000_000));
        return $date->setTimezone(new \DateTimeZone('UTC'))->modify('+' . $us % 1_000_000 . ' usec');
    }

    /** Both clocks stop at the same fraction of a millisecond, so that ends are rounded alike on both. */
    public static function freeze(int $wall): void
    {
        $mono = self::mono();
        $phase = ($wall - $mono) % 1000;
        self::$frozen = new Now($mono + ($phase < 0 ? $phase + 1000 : $phase), $wall);
    }

    /** Moves the frozen clock ahead. Returns false, and changes nothing, where that is too far. */
    public static function advance(int $us): bool
    {
        if (self::$frozen === null || self::$frozen->mono + $us - self::trueMono() > self::AHEAD_MAX_US) {
            return false;
        }
        self::$frozen = new Now(self::$frozen->mono + $us, self::$frozen->wall + $us);
        return true;
    }

    public static function unfreeze(): void
    {
        self::$frozen = null;
    }

    public static function isFrozen(): bool
    {
        return self::$frozen !== null;
    }

    /**
     * Sleeps until a moment of the monotonic clock; a frozen clock moves there. Returns false when a signal came first, or
     * the clock cannot move so far.
     */
    public static function sleepUntil(int $mono): bool
    {
        if (self::$frozen !== null) {
            $left = $mono - self::$frozen->mono;
            return $left <= 0 || self::advance($left);
        }
        while (($left = $mono - self::trueMono()) > 0) {
            if (time_nanosleep(intdiv($left, 1_000_000), $left % 1_000_000 * 1000) !== true) {
                return false;
            }
        }
        return true;
    }
}
