<?php

declare(strict_types=1);

/*
 * Makes Ratelimit\Symfony\LimiterFactory known as Symfony\Component\RateLimiter\RateLimiterFactory, for services that have
 * this final class as the type of an argument. An application loads this file before that class is used:
 *
 *     "autoload": {"files": ["vendor/ratelimit/symfony/src/replace.php"]}
 *
 * Without the extension it does nothing.
 */

if (extension_loaded('ratelimit')) {
    spl_autoload_register(static function (string $class): void {
        if ('Symfony\Component\RateLimiter\RateLimiterFactory' === $class) {
            class_alias(Ratelimit\Symfony\LimiterFactory::class, $class);
        }
    }, true, true);
}
