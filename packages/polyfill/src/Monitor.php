<?php

declare(strict_types=1);

namespace FrequencyLimit;

use FrequencyLimit\Polyfill\Argument;
use FrequencyLimit\Polyfill\Guard\Preflight;
use FrequencyLimit\Polyfill\NotSerializable;
use FrequencyLimit\Polyfill\Redis\Scan;
use FrequencyLimit\Polyfill\Result\Listener;
use FrequencyLimit\Polyfill\Settings;
use FrequencyLimit\Polyfill\Warnings;

/**
 * Reads, with the extension ratelimit, what its machine has decided. This package counts nothing: the numbers of one request have
 * no use. stats(), limiters(), top(), bans(), history() and metrics() answer in their shapes, empty.
 */
final class Monitor
{
    use NotSerializable;

    private const COUNT_MAX = 1_000;

    private function __construct()
    {
    }

    /**
     * Returns the store and the mistakes in this process' configuration; "segment" is "none", and every number is 0.
     *
     * @return array{
     *     store: string, segment: string, bytes: int, slots: int, slots_used: int, records: int,
     *     records_used: int, decisions: int, refusals: int, bans: int, evictions: int, bans_evicted: int, errors: int,
     *     redis_decisions: int, redis_refusals: int, redis_errors: int, fallbacks: int, permits_owed: int,
     *     permits_told: int, permits_lost: int, cached: int, leased: int,
     *     workers: int,
     *     servers: list<array{server: string, state: string, since: float, failures: int, latency: float}>,
     *     warnings: list<string>
     * }
     */
    public static function stats(): array
    {
        return [
            'store' => Settings::get()->maskedStore(), 'segment' => 'none', 'bytes' => 0, 'slots' => 0, 'slots_used' => 0, 'records' => 0,
            'records_used' => 0, 'decisions' => 0, 'refusals' => 0, 'bans' => 0, 'evictions' => 0, 'bans_evicted' => 0, 'errors' => 0, 'redis_decisions' => 0,
            'redis_refusals' => 0, 'redis_errors' => 0, 'fallbacks' => 0, 'permits_owed' => 0,
            'permits_told' => 0, 'permits_lost' => 0, 'cached' => 0, 'leased' => 0, 'places_unnoted' => 0, 'workers' => 0, 'servers' => [],
            'warnings' => Warnings::ofConfiguration(),
        ];
    }

    /**
     * Returns no row: this package counts nothing by name.
     *
     * @return list<array{
     *     kind: string, name: string, refused: int, banned: int, shadow: int, near: int, fallback: int, errors: int,
     *     limits: list<array{name: string, refused: int, shadow: int, banned: int}>
     * }>
     */
    public static function limiters(): array
    {
        return [];
    }

    /**
     * Returns no row: this package keeps no refused callers.
     *
     * @param int $count 1 to 1000
     * @return list<array{
     *     kind: string, name: string, by: string|null, identity: int|string, refusals: int, error: int,
     *     limit: string|null, last: float
     * }>
     * @throws InvalidArgument
     */
    public static function top(int $count = 10): array
    {
        Argument::range('$count', $count, 1, self::COUNT_MAX);
        return [];
    }

    /**
     * Returns no row: this package keeps no list of bans.
     *
     * @param int $count 1 to 1000
     * @return list<array{kind: string, name: string, by: string|null, identity: int|string, end: float, level: int}>
     * @throws InvalidArgument
     */
    public static function bans(int $count = 100): array
    {
        Argument::range('$count', $count, 1, self::COUNT_MAX);
        return [];
    }

    /**
     * Returns no row: this package has no history.
     *
     * @return list<array{time: float, seconds: float, decisions: int, refused: int, banned: int, fallback: int, errors: int}>
     */
    public static function history(): array
    {
        return [];
    }

    /** Returns an OpenMetrics text without a metric. */
    public static function metrics(): string
    {
        return "# EOF\n";
    }

    /**
     * Calls a function after each decision, in this request: $listener(string $name, int|string $identity, Result $result). The name
     * is that of the limiter or the action. A later call replaces the listener; null removes it.
     *
     * The decision stands when the listener is called. An exception of the listener reaches the caller in place of the result. A
     * decision that the listener asks for does not call it again. Peeks, commands and exempt identities do not call it. With $reasons
     * only decisions with one of these reasons call it.
     *
     * @param callable|null $listener function (string $name, int|string $identity, Result $result): void
     */
    public static function listen(?callable $listener, Reason ...$reasons): void
    {
        Listener::set($listener, $reasons);
    }

    /**
     * Checks, before a deployment, what would go wrong: asks each store of ratelimit.store and of the file of ratelimit.limiters for
     * two decisions, whether it evicts, and what time it is there.
     *
     * @param int $identities 0 to 1,000,000,000; it has no effect, since the memory of a process has room for 100,000
     * @return array{settings: list<string>, stores: list<string>}
     * @throws InvalidArgument
     */
    public static function preflight(int $identities = 0): array
    {
        return (new Preflight($identities))->problems();
    }

    /**
     * Returns the next page of the keys that ratelimit.store has on Redis, for an operator's tools. It reads the whole keyspace with
     * SCAN, page by page, and requires that right: not for requests of visitors. A key may come twice. The store "shm:" has no keys.
     *
     * @param string $position "": the first page; else the "next" of the last one
     * @return array{next: string, keys: list<array{kind: 'action'|'limiter', name: string, by: string|null, identity: int|string}>}
     * @throws InvalidArgument
     * @throws StoreException
     */
    public static function scan(string $position = ''): array
    {
        return Scan::page($position);
    }
}
