<?php

namespace FrequencyLimit\Laravel;

use FrequencyLimit\StoreException;

/**
 * Carries out what follows the work of a request or job. Where the store is unavailable, it reports the first failure of the
 * request or job by report(), and throws none.
 */
final class BestEffort
{
    private bool $reported = false;

    /** Returns what the command returns; null: it failed. */
    public static function run(callable $command, mixed ...$arguments): mixed
    {
        try {
            return $command(...$arguments);
        } catch (StoreException $e) {
            app(self::class)->report($e);

            return null;
        }
    }

    private function report(StoreException $e): void
    {
        if (! $this->reported) {
            $this->reported = true;
            report($e);
        }
    }
}
