<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Limiter;

/** Ends the permits that a fatal error leaves: PHP then calls no destructors. */
final class OpenGrants
{
    private const FATAL = E_ERROR | E_CORE_ERROR | E_COMPILE_ERROR | E_USER_ERROR | E_RECOVERABLE_ERROR | E_PARSE;

    /** @var \WeakMap<Grant, true>|null */
    private static ?\WeakMap $open = null;

    public static function add(Grant $grant): void
    {
        if (self::$open === null) {
            self::$open = new \WeakMap();
            /* Behind the functions that the application registers: they may still use a permit. */
            register_shutdown_function(static fn () => register_shutdown_function(self::endAll(...)));
        }
        self::$open[$grant] = true;
    }

    private static function endAll(): void
    {
        if (((error_get_last()['type'] ?? 0) & self::FATAL) === 0) {
            return;
        }
        foreach (self::$open ?? [] as $grant => $_) {
            $grant->end();
        }
    }
}
