<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill;

use FrequencyLimit\Polyfill\Memory\MemoryStore;
use FrequencyLimit\Polyfill\Monitor\Callers;
use FrequencyLimit\Polyfill\Redis\Dsn;
use FrequencyLimit\Polyfill\Redis\DsnParser;
use FrequencyLimit\Polyfill\Redis\RedisStore;
use FrequencyLimit\Polyfill\Redis\Timeouts;

/** The guards of this process, one for each store. */
final class Guards
{
    /** @var array<string, Guard> by DSN */
    private static array $guards = [];
    /** @var array<string, Breaker> by DSN */
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
            return new Guard($dsn, self::memory(), null, $settings);
        }
        $parsed = DsnParser::parse($dsn);
        $timeouts = new Timeouts($settings->connectTimeoutMs, $settings->timeoutMs, $settings->client, $settings->retryDelayMs);
        /* Each node of a cluster fails by itself. */
        $breaker = $parsed->kind === Dsn::CLUSTER ? null : self::$breakers[$dsn] = new Breaker($parsed->label, $settings);
        return new Guard("$dsn\0$settings->prefix", new RedisStore($parsed, $settings->prefix, $timeouts), $breaker, $settings);
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
        Callers::flush();
    }

    /** @return list<Breaker> */
    public static function breakers(): array
    {
        return array_values(self::$breakers);
    }
}
