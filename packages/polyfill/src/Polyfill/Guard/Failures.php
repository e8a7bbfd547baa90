<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Guard;

use FrequencyLimit\Polyfill\Key;
use FrequencyLimit\Polyfill\Time;
use FrequencyLimit\StoreException;

/** Makes the exceptions of stores that have no answer. */
final class Failures
{
    public static function of(StoreFailure|StaleBoundaries $e, Key $key): StoreException
    {
        if ($e instanceof StaleBoundaries) {
            return new StoreException('the store\'s clock changed during the call; try again', 1);
        }
        $message = $e->status !== StoreFailure::WRONG_TYPE ? $e->getMessage()
            : "The key of \"{$key->ownName()}\", identity \"$key->id\", has a value that ratelimit did not write: {$e->getMessage()}";
        return new StoreException($message, $e->status);
    }

    /** @throws StoreException */
    public static function checkClock(Guard $guard): void
    {
        if (Time::isFrozen() && !$guard->isEmbedded()) {
            throw new StoreException('The clock is frozen, and Redis has a clock of its own: use the store "shm:" in tests that '
                . 'freeze the clock');
        }
    }
}
