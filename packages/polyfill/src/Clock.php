<?php

declare(strict_types=1);

namespace FrequencyLimit;

use FrequencyLimit\Polyfill\Argument;
use FrequencyLimit\Polyfill\Settings;
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
        if (!Settings::get()->testing) {
            throw new StoreException('The clock cannot be frozen, because ratelimit.testing is off: set ratelimit.testing=1 in '
                . 'php.ini or by php -d');
        }
        if ($at !== null) {
            Time::freeze(Argument::moment('$at', $at));
            return;
        }
        Time::unfreeze();
        /* Counters end at whole milliseconds. So does the frozen moment: advance(60) then ends a window of 60 seconds. */
        $wall = Time::wall();
        Time::freeze($wall - $wall % 1000);
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

    /** Lets the clock run again, at the true time. */
    public static function unfreeze(): void
    {
        Time::unfreeze();
    }
}
