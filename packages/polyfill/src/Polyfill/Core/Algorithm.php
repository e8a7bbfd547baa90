<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** The algorithms. Redis stores their numbers: they never change. */
final class Algorithm
{
    public const FIXED_WINDOW = 1;
    public const CALENDAR_WINDOW = 2;
    public const SLIDING_LOG = 3;
    public const SLIDING_WINDOW = 4;
    public const TOKEN_BUCKET = 5;
    public const CONCURRENT = 6;
    /** Limit::none(), which no store has. */
    public const NONE = 255;

    /** By number: the word of its texts, its factory method with the largest number that this takes, the class of its states. */
    public const ROWS = [
        self::FIXED_WINDOW => ['word' => 'fixed', 'factory' => 'fixedWindow', 'max' => Bounds::LIMIT_MAX, 'state' => FixedWindow::class],
        self::CALENDAR_WINDOW => ['word' => 'calendar', 'factory' => 'calendar', 'max' => Bounds::LIMIT_MAX, 'state' => CalendarWindow::class],
        self::SLIDING_LOG => ['word' => 'log', 'factory' => 'slidingLog', 'max' => Bounds::LOG_MAX, 'state' => SlidingLog::class],
        self::SLIDING_WINDOW => ['word' => 'window', 'factory' => 'slidingWindow', 'max' => Bounds::LIMIT_MAX, 'state' => SlidingWindow::class],
        self::TOKEN_BUCKET => ['word' => 'bucket', 'factory' => 'tokenBucket', 'max' => Bounds::LIMIT_MAX, 'state' => TokenBucket::class],
        self::CONCURRENT => ['word' => 'concurrent', 'factory' => 'concurrent', 'max' => Bounds::LOG_MAX, 'state' => Concurrent::class],
    ];
}
