<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Core;

/** The moment of a decision, in microseconds: on the monotonic clock for durations, on the wall clock for calendars. */
final class Now
{
    public function __construct(public readonly int $mono, public readonly int $wall)
    {
    }

    /** Returns the moment of the wall clock on the monotonic one. */
    public function mono(int $wall): int
    {
        return $wall - $this->wall + $this->mono;
    }
}
