<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Guard;

use FrequencyLimit\Polyfill\Memory\MemoryStore;
use FrequencyLimit\Polyfill\Redis\Dsn;
use FrequencyLimit\Polyfill\Redis\DsnParser;
use FrequencyLimit\Polyfill\Redis\Label;
use FrequencyLimit\Polyfill\Redis\RedisStore;
use FrequencyLimit\Polyfill\Redis\Timeouts;
use FrequencyLimit\Polyfill\Settings;
use FrequencyLimit\Polyfill\Warnings;

/** The guards of this process, one for each store. */
final class Guards
{
    /** @var array<string, Guard> by DSN */
    private static array $guards = [];
    /** @var array<string, Breaker> by Label::server() */
    private static array $breakers = [];
    private static int $version = -1;
    private static ?MemoryStore $memory = null;
    /** @var array<string, MemoryStore> by Guard::$id: where Redis is unavailable */
    private static array $fallbacks = [];

    /**
     * Returns the guard of a DSN; null: that of ratelimit.store.
     *
     * @param FailurePolicy|null $policy null: that of ratelimit.on_failure
     */
    public static function of(#[\SensitiveParameter] ?string $dsn = null, ?FailurePolicy $policy = null): Guard
    {
        if (self::$version !== Settings::version()) {
            self::$version = Settings::version();
            self::$guards = [];
            self::$breakers = [];
        }
        $dsn ??= Settings::get()->store;
        $guard = self::$guards[$dsn] ??= self::make($dsn);
        if ($policy === null) {
            return $guard;
        }
        return self::$guards["$policy->value $dsn"] ??= $guard->withPolicy($policy);
    }

    private static function make(#[\SensitiveParameter] string $dsn): Guard
    {
        $settings = Settings::get();
        if ($dsn === Settings::EMBEDDED) {
            if (!$settings->testing) {
                Warnings::limitation('limits are kept in the memory of this process, which other processes do not share, and end '
                    . 'with it (under a web server: with the request). Set ratelimit.store to a Redis server, or install the '
                    . 'extension ratelimit');
            }
            return new Guard($dsn, self::memory(), null, $settings->onFailure);
        }
        $parsed = DsnParser::parse($dsn);
        $place = Label::server($dsn);
        $timeouts = new Timeouts($parsed->connectTimeoutMs, $parsed->timeoutMs, $settings->client, $parsed->retryDelayMs);
        /* Each node of a cluster fails by itself. */
        $breaker = $parsed->kind === Dsn::CLUSTER ? null : self::$breakers[$place] ??= new Breaker($parsed->label, $settings->onFailure);
        $store = new RedisStore($parsed, $settings->prefix, $timeouts);
        return new Guard("$place\0$settings->prefix", $store, $breaker, $settings->onFailure, $parsed->retryDelayMs);
    }

    public static function memory(): MemoryStore
    {
        return self::$memory ??= new MemoryStore();
    }

    public static function fallback(string $id): MemoryStore
    {
        return self::$fallbacks[$id] ??= new MemoryStore('local');
    }

    /** Empties the memory of this process. */
    public static function flush(): void
    {
        self::memory()->flush();
        self::$fallbacks = [];
    }
}
