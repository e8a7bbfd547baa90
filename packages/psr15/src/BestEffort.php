<?php

declare(strict_types=1);

namespace Ratelimit\Psr15;

use FrequencyLimit\StoreException;

/**
 * Carries out commands of a request whose handler has run. Where the store is unavailable, the first failure is a line in PHP's
 * error log. It is no warning: an error handler of an application may throw it.
 *
 * @internal
 */
final class BestEffort
{
    private bool $logged = false;

    public function run(\Closure $command): void
    {
        try {
            $command();
        } catch (StoreException $e) {
            if (!$this->logged) {
                error_log('ratelimit: not done after a request: '.$e->getMessage());
                $this->logged = true;
            }
        }
    }
}
