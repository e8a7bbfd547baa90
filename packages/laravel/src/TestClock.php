<?php

namespace FrequencyLimit\Laravel;

use FrequencyLimit\Clock;
use Illuminate\Support\Carbon;

/** Lets the extension's clock follow Carbon's in an application's tests: $this->travel(5)->minutes() moves windows, too. */
final class TestClock
{
    /** Whether an application of this process has stopped the clock. */
    private static bool $stopped = false;

    private bool $begun = false;

    /** Brings the clock to Carbon's moment; lets it run again when Carbon does. */
    public function follow(): void
    {
        $travels = Carbon::hasTestNow();

        if ((self::$stopped && ! $travels) || ($travels && ! $this->begun)) {
            // The journeys of all tests of a process would add up: durations move by seventeen years at most.
            Clock::unfreeze();
        }
        if ($travels && $this->begun) {
            Clock::travelTo(Carbon::now());
        } elseif ($travels) {
            Clock::freeze(Carbon::now()->getPreciseTimestamp(6) / 1e6);
        }

        self::$stopped = $travels;
        $this->begun = true;
    }
}
