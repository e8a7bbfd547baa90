<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Guard;

/** The calendar boundaries of a question do not contain the store's time: it is asked again, with those of this moment. */
final class StaleBoundaries extends \Exception
{
    /** @param int $wall the store's wall clock in microseconds */
    public function __construct(public readonly int $wall)
    {
        parent::__construct('the calendar boundaries of the call do not contain the store\'s time');
    }
}
