<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** The numbers of FrequencyLimit\Reason, as the scripts for Redis return them. */
final class Outcome
{
    public const ACCEPTED = 0;
    public const LIMITED = 1;
    public const BANNED = 2;
    public const TOO_EXPENSIVE = 3;
    public const STORE_UNAVAILABLE = 4;
    /** The calendar boundaries of the question do not contain the store's time. */
    public const STALE = 10;
}
