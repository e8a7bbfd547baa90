<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** The numbers of the algorithms. Redis stores them: they never change. */
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
}
