<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** The bounds of limits, costs, names and times. */
final class Bounds
{
    /** The most of a limit, a rate, a burst, a cost or a count. */
    public const LIMIT_MAX = 1_000_000_000_000;
    /** The number of doHandle() and check(), of an attribute, of a lease. */
    public const COUNTER_MAX = 16_777_215;
    /** The most of a sliding log, which keeps as many moments, and of a concurrent limit. */
    public const LOG_MAX = 10_000;
    /** The most windows, or sub-windows ahead, that a limit keeps with bookings. */
    public const WINDOWS_MAX = 1_000;
    /** The most limits of one limiter. */
    public const LIMITS_MAX = 8;
    /** The most bytes of an action, a limiter's name or an identity. */
    public const NAME_MAX = 255;
    /** The most bytes of a limit's name. */
    public const LIMIT_NAME_MAX = 64;
    /** Ten years of 365 days. */
    public const SECONDS_MAX = 315_360_000;
    public const PERIOD_MAX_US = self::SECONDS_MAX * 1_000_000;
    public const PERIOD_MIN_US = 1_000;
    /** The last second of the year 9999. */
    public const MOMENT_MAX_S = 253_402_300_799;
    /** The largest tag: 48 bits. */
    public const TAG_MAX = (1 << 48) - 1;
}
