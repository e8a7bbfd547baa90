<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill;

use FrequencyLimit\Polyfill\Guard\Guards;
use FrequencyLimit\StoreException;

/** Checks ratelimit.testing, and empties the memory for an application's own tests. */
final class Testing
{
    /** @throws StoreException unless ratelimit.testing is on */
    public static function check(string $refused): void
    {
        if (!Settings::get()->testing) {
            throw new StoreException("$refused, because ratelimit.testing is off: set ratelimit.testing=1 in php.ini, by php -d, or "
                . 'in phpunit.xml');
        }
    }

    /** @throws StoreException */
    public static function flush(): void
    {
        self::check('The counts cannot be emptied');
        if (Settings::get()->store !== Settings::EMBEDDED) {
            throw new StoreException('FrequencyLimit::flush() empties this machine\'s segment, and ratelimit.store names a Redis: set '
                . 'ratelimit.store=shm: for tests, or give each test run a ratelimit.prefix of its own');
        }
        Guards::flush();
    }
}
