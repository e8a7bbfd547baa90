<?php

declare(strict_types=1);

namespace FrequencyLimit;

use DateTimeInterface;
use FrequencyLimit\Polyfill\Argument;
use FrequencyLimit\Polyfill\Testing;
use FrequencyLimit\Polyfill\Time;

/**
 * Drives the clock of the memory in an application's own tests: windows, bans and expiry. It holds for this process. Requires
 * ratelimit.testing=1. Redis has its own time: a decision on Redis while the clock is frozen is a StoreException.
 */
final class Clock
{
    private function __construct()
    {
    }

    /**
     * Stops the clock.
     *
     * @param int|float|null $at a unix time, until the year 9999; null: now
     * @throws InvalidArgument
     * @throws StoreException unless ratelimit.testing is on
     */
    public static function freeze(int|float|null $at = null): void
    {
        Testing::check('The clock cannot be frozen');
        Time::freeze($at === null ? self::present() : Argument::moment('$at', $at));
    }

    /**
     * Lets the clock run, and returns the present. Counters end at whole milliseconds. So does the frozen moment: advance(60) then
     * ends a window of 60 seconds.
     */
    private static function present(): int
    {
        Time::unfreeze();
        $wall = Time::wall();
        return $wall - $wall % 1000;
    }

    /**
     * Moves a frozen clock ahead, by 0 seconds to ten years, and by seventeen years in all.
     *
     * @throws InvalidArgument
     * @throws StoreException unless frozen
     */
    public static function advance(int|float $seconds): void
    {
        if (!Time::isFrozen()) {
            throw new StoreException('The clock is not frozen: call Clock::freeze() before Clock::advance()');
        }
        if (!Time::advance(Argument::duration('$seconds', $seconds, 0))) {
            throw Argument::invalid('$seconds must not move the clock more than seventeen years ahead in all');
        }
    }

    /**
     * Moves the clock to a moment, and stops it there: calendars, and durations by as much. Back in time, durations stand still,
     * to the millisecond: a window that runs keeps the time that it has left. A clock that was not frozen moves from the present.
     *
     * @param int|float|DateTimeInterface $at a unix time or a moment, 1970 to 9999; durations move at most seventeen years ahead
     *                                        in all
     * @throws InvalidArgument
     * @throws StoreException unless ratelimit.testing is on
     */
    public static function travelTo(int|float|DateTimeInterface $at): void
    {
        Testing::check('The clock cannot be moved');
        $wall = Argument::moment('$at', $at);
        if (!Time::isFrozen()) {
            Time::freeze(self::present());
        }
        $ahead = $wall - Time::wall();
        if ($ahead < 0) {
            Time::freeze($wall);
        } elseif (!Time::advance($ahead)) {
            throw Argument::invalid('$at must not move durations more than seventeen years ahead in all, '
                . intdiv($ahead, 1_000_000) . ' seconds given: Clock::freeze() moves calendars alone');
        }
    }

    /** Lets the clock run again, at the true time. */
    public static function unfreeze(): void
    {
        Time::unfreeze();
    }
}
