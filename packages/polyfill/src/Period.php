<?php

declare(strict_types=1);

namespace FrequencyLimit;

/** A period of the clock in a time zone. A week begins on Monday, unless Limit::calendar() has another $weekStart. */
enum Period: string
{
    case Minute = 'minute';
    case Hour = 'hour';
    case Day = 'day';
    case Week = 'week';
    case Month = 'month';
    case Quarter = 'quarter';
    case Year = 'year';
}
