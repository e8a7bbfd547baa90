<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill;

/** Makes the array of FrequencyLimit::stats(). */
final class Overview
{
    /**
     * @return array{
     *     store: string, segment: string, bytes: int, slots: int, slots_used: int, records: int,
     *     records_used: int, decisions: int, refusals: int, bans: int, evictions: int, errors: int,
     *     redis_decisions: int, redis_refusals: int, redis_errors: int, fallbacks: int, cached: int, leased: int,
     *     workers: int,
     *     servers: list<array{server: string, state: string, since: float, failures: int, latency: float}>,
     *     warnings: list<string>
     * }
     */
    public static function stats(): array
    {
        $store = Settings::get()->maskedStore();
        return [
            'store' => $store,
            'segment' => 'none',
            'bytes' => 0,
            'slots' => 0,
            'slots_used' => 0,
            'records' => 0,
            'records_used' => Guards::memory()->size(),
            'decisions' => Statistics::$decisions,
            'refusals' => Statistics::$refusals,
            'bans' => Statistics::$bans,
            'evictions' => Statistics::$evictions,
            'errors' => Statistics::$errors,
            'redis_decisions' => Statistics::$redisDecisions,
            'redis_refusals' => Statistics::$redisRefusals,
            'redis_errors' => Statistics::$redisErrors,
            'fallbacks' => Statistics::$fallbacks,
            'cached' => 0,
            'leased' => 0,
            'workers' => 1,
            'servers' => array_map(static fn (Breaker $breaker): array => $breaker->facts(), Guards::breakers()),
            'warnings' => self::warnings(),
        ];
    }

    /** @return list<string> */
    private static function warnings(): array
    {
        $problem = LimitersFile::problem();
        return [...Warnings::ofConfiguration(), ...($problem === null ? [] : ["ratelimit.limiters: $problem"])];
    }
}
