<?php

namespace FrequencyLimit\Laravel;

use FrequencyLimit;
use FrequencyLimit\Clock;
use FrequencyLimit\InvalidArgument;
use FrequencyLimit\StoreException;
use Illuminate\Support\Carbon;

/** Lets the extension's clock follow Carbon's in an application's tests: $this->travel(5)->minutes() moves windows, too. */
final class TestClock
{
    /** Whether an application of this process has stopped the clock. */
    private static bool $stopped = false;

    /**
     * Begins with empty counts and a clock that runs: durations move by seventeen years at most, and all tests of a process would
     * add up.
     */
    public function __construct()
    {
        self::release();
        self::flush();
    }

    /**
     * Brings the clock to Carbon's moment, without the part of a millisecond: windows end with a whole one. Lets the clock run again
     * when Carbon does.
     */
    public function follow(): void
    {
        if (! Carbon::hasTestNow()) {
            self::release();

            return;
        }

        self::$stopped = true;
        // The extension's calendars begin with 1970.
        $now = max(0, floor(Carbon::now()->getPreciseTimestamp(6) / 1e3) / 1e3);
        try {
            Clock::travelTo($now);
        } catch (InvalidArgument) {
            // Beyond its seventeen years all windows are over: the longest one has ten.
            self::flush();
            Clock::unfreeze();
            Clock::freeze($now);
        }
    }

    /** Returns whether PHPUnit runs, or a tool that is built on it. An application with APP_ENV=testing may be served. */
    public static function isTestRun(): bool
    {
        return defined('PHPUNIT_COMPOSER_INSTALL') || defined('__PHPUNIT_PHAR__') || class_exists('PHPUnit\Framework\TestCase', false);
    }

    /** Lets the clock run again if an application has stopped it. */
    private static function release(): void
    {
        if (self::$stopped) {
            Clock::unfreeze();
            self::$stopped = false;
        }
    }

    private static function flush(): void
    {
        try {
            FrequencyLimit::flush();
        } catch (StoreException) {
            // ratelimit.store names a Redis, or there is no memory: the counts have another name in each application anyway.
        }
    }
}
