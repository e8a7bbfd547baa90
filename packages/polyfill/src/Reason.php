<?php

declare(strict_types=1);

namespace FrequencyLimit;

/** The reason of a decision. */
enum Reason: string
{
    /** The call passed and was counted. */
    case Accepted = 'accepted';
    /** The limit is used up. The call would pass after retryAfter. */
    case Limited = 'limited';
    /** The identity is banned until retryAfter is over. */
    case Banned = 'banned';
    /** The cost is above the limit: the call can never pass. Nothing was written. */
    case TooExpensive = 'too_expensive';
    /** The store was unavailable; ratelimit.on_failure decided. */
    case StoreUnavailable = 'store_unavailable';
}
