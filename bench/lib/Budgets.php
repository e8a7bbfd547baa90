<?php

declare(strict_types=1);

/** Compares the project's budgets with the results: a row that is not met is a defect, or the noise of a disturbed run. */
final class Budgets
{
    public function __construct(private readonly Results $results)
    {
    }

    public function table(): Table
    {
        $table = new Table(['', 'budget', 'measured', '', 'the floor', 'the least'], 2);
        foreach ($this->all() as [$what, $asked, $measured, $met, $floor, $bare]) {
            $table->add([$what, $asked, $measured ?? 'not measured', match (true) {
                $measured === null => '',
                $met => 'met',
                default => '**not met**',
            }, $floor === null ? '' : self::ratio($floor), $bare === null ? '' : self::ratio($bare)]);
        }
        return $table;
    }

    /** @return list<array{string, string, ?string, bool, ?float, ?float}> name, target, measured, met, and the ratios of the floor and of the least that decides */
    private function all(): array
    {
        $r = $this->results;
        $least = static fn (string $what, float $asked, ?float $measured, ?float $floor = null, ?float $bare = null): array =>
            [$what, '≥ ' . self::number($asked) . '×', $measured === null ? null : self::ratio($measured), $measured >= $asked, $floor, $bare];
        $most = static fn (string $what, float $asked, ?float $measured, ?float $bare = null, ?float $floor = null): array =>
            [$what, '≤ ' . self::number($asked) . '×', $measured === null ? null : self::ratio($measured), $measured <= $asked, $floor, $bare];
        $bytes = static fn (string $what, float $asked, ?float $measured): array =>
            [$what, '≤ ' . self::number($asked), $measured === null ? null : sprintf('%.1f', $measured), $measured <= $asked, null, null];
        $trips = static fn (string $what, float $asked, ?float $measured): array =>
            [$what, $asked > 0 ? "≤ $asked" : '0', $measured === null ? null : sprintf('%.2f', $measured), round((float) $measured, 2) <= $asked, null, null];
        $slower = static fn (string $scene, string $series, string $peer, string $ours = 'dohandle'): ?float => $r->ratio($scene, $series, $peer, $ours);
        $peer = static fn (string $what, float $asked, string $scene, string $series, string $peer): array => $least($what, $asked,
            $r->ratio($scene, $series, $peer, 'dohandle'), $r->ratio($scene, $series, $peer, str_starts_with($scene, 'redis') ? 'ping' : 'floor'), $r->ratio($scene, $series, $peer, 'least'));
        $per = static fn (?float $a, ?float $b): ?float => $a === null || !$b ? null : $a / $b;
        $table = $r->get('bytes-embedded', 'embedded') ?? [];
        $redis = $r->get('bytes-redis', 'redis') ?? [];
        $server = static fn (string $name): ?float => $r->get('guarded-one', 'admit', $name, 'server_us');

        return [
            $most('Shared memory, admitted, to the call floor, without JIT', 2.0, $slower('memory-off', 'admit', 'dohandle', 'floor'), $slower('memory-off', 'admit', 'least', 'floor')),
            $most('… with the tracing JIT', 2.5, $slower('memory-tracing', 'admit', 'dohandle', 'floor'), $slower('memory-tracing', 'admit', 'least', 'floor')),
            $most('Shared memory, refused, to the call floor, without JIT', 1.6, $slower('memory-off', 'refuse', 'dohandle', 'floor'), $slower('memory-off', 'refuse', 'least', 'floor')),
            $most('… with the tracing JIT', 2.0, $slower('memory-tracing', 'refuse', 'dohandle', 'floor'), $slower('memory-tracing', 'refuse', 'least', 'floor')),
            $most('`allow()`, to `doHandle()`', 1.1, $slower('memory-off', 'admit', 'allow')),
            $most('`consume()` of a fixed window, to `doHandle()`', 3.2, $slower('memory-off', 'admit', 'fixed_window')),
            $most('… of a calendar window', 3.2, $slower('memory-off', 'admit', 'calendar')),
            $most('… of a token bucket', 3.2, $slower('memory-off', 'admit', 'token_bucket')),
            $most('… of a sliding window', 4.3, $slower('memory-off', 'admit', 'sliding_window')),
            $most('… of a log of 100', 5, $slower('series-off', 'admit', 'sliding_log')),
            $most('… of three limits', 6, $slower('series-off', 'admit', 'three')),
            $most('… of three limits with three costs for two identities', 14, $slower('series-off', 'admit', 'labels')),
            $most('`#[AccessLimit]` again in a request', 1.6, $slower('memory-off', 'admit', 'attributed')),
            $peer('`apcu_inc` to ours, one identity', 2.5, 'memory-off', 'admit', 'apcu_inc'),
            $peer('… 200,000 identities', 2.5, 'memory-off', 'random', 'apcu_inc'),
            $peer('… two processes with an identity each', 3.5, 'two-off', 'different', 'apcu_inc'),
            $peer('`apcu_add` and `apcu_inc` to ours, the same', 20, 'two-off', 'different', 'apcu_add_inc'),
            $least('Two processes to one, an identity each: decisions a second', 1.8, $this->speedUp('alone', 'different'), null, $this->speedUp('alone', 'different', 'least')),
            $least('… refusals of one identity', 1.8, $this->speedUp('refuse_alone', 'refuse'), null, $this->speedUp('refuse_alone', 'refuse', 'least')),
            $peer('Symfony in memory to ours', 150, 'memory-off', 'admit', 'symfony_memory'),
            $peer('Symfony with APCu to ours', 250, 'memory-off', 'admit', 'symfony_apcu'),
            $peer('Laravel with APCu to ours', 250, 'memory-off', 'admit', 'laravel_apcu'),
            $most('`new Limiter` and `allow()`, to `doHandle()`, the first decision of a php-fpm request', 2.5, $slower('cold', 'cold', 'allow')),
            $most('… `Limiter::named()` and `allow()`', 1.6, $slower('cold', 'cold', 'named_allow')),
            $most('… `consume()` of a calendar window', 5, $slower('cold', 'cold', 'calendar')),
            $most('… a function with `#[AccessLimit]`', 4, $slower('cold', 'cold', 'attributed')),
            $peer('`apcu_inc` to ours, the same', 1, 'cold', 'cold', 'apcu_inc'),
            $peer('Symfony with APCu to ours, the same', 80, 'cold', 'cold', 'symfony_apcu'),
            $peer('Laravel with APCu to ours, the same', 80, 'cold', 'cold', 'laravel_apcu'),
            $most("php-fpm's time for a whole request with `doHandle()`, admitted, to one without a limit", 1.05, $slower('web', 'admit', 'dohandle', 'plain')),
            $most('… with a limiter and its headers', 1.2, $slower('web', 'admit', 'limiter', 'plain')),
            $most('… with `#[AccessLimit]`', 1.2, $slower('web', 'admit', 'attribute', 'plain')),
            $most('Redis on one processor, to a bare PING', 1.6, $slower('redis-one-unix', 'admit', 'dohandle', 'ping')),
            $peer("The article's listing (two round trips) to ours", 1.4, 'redis-one-unix', 'admit', 'article'),
            $peer("The article's listing, a first call (three) to ours", 2.2, 'redis-one-unix', 'admit', 'article_first'),
            $peer('Symfony with Redis to ours', 3.5, 'redis-one-unix', 'admit', 'symfony_redis'),
            $peer('Symfony with Redis and its lock to ours', 10, 'redis-one-unix', 'admit', 'symfony_redis_locked'),
            $peer('Laravel with Redis to ours', 5, 'redis-one-unix', 'admit', 'laravel_redis'),
            $most("The server's time for ours, saturated, to the usual script's", 1.35, $slower('saturated', 'admit', 'dohandle', 'evalsha'),
                $slower('saturated', 'admit', 'script_looks', 'evalsha'), $slower('saturated', 'admit', 'script_nothing', 'evalsha')),
            $most('… a calendar window', 3.3, $slower('saturated', 'admit', 'calendar', 'evalsha')),
            $most('… a sliding window', 3.3, $slower('saturated', 'admit', 'sliding_window', 'evalsha')),
            $most('… a token bucket', 3.3, $slower('saturated', 'admit', 'token_bucket', 'evalsha')),
            $most('… three limits together', 5, $slower('saturated', 'admit', 'three', 'evalsha')),
            $least('The usual script to leases', 30, $slower('guarded-one', 'admit', 'evalsha', 'leased')),
            $least("The server's time for the usual script, to that for leases", 25, $per($server('evalsha'), $server('leased'))),
            $trips('Round trips for a leased permit', 0.02, $r->get('guarded-one', 'admit', 'leased', 'round_trips')),
            $trips('Round trips for a refusal by the deny cache', 0.0, $r->get('guarded-one', 'refuse', 'dohandle', 'round_trips')),
            $least('A refusal by Redis (a GET) to one by the deny cache, one processor', 300, $this->remembered('guarded-one')),
            $least('… a processor each', 300, $this->remembered('guarded-two')),
            $least('symfony/semaphore on Redis to `acquire()` and `release()`', 20, $slower('places', 'admit', 'symfony_semaphore', 'places')),
            $least('symfony/lock on Redis to the same', 20, $slower('places', 'admit', 'symfony_lock', 'places')),
            $least("Laravel's `Cache::funnel()` on Redis to the same", 20, $slower('places', 'admit', 'laravel_funnel', 'places')),
            $trips('Round trips of `acquire()` and `release()` on Redis', 2.0, $r->get('places', 'admit', 'places_redis', 'round_trips')),
            $bytes('Bytes of an identity, the table filled to 60 %', 32, $table['counter_60'] ?? null),
            $least('APCu to ours, bytes', 5, $per($table['apcu_inc'] ?? null, $table['counter_60'] ?? null)),
            $least('A Redis counter to ours, bytes', 3.5, $per($redis['article'] ?? null, $table['counter_60'] ?? null)),
            $bytes('Bytes of a log of 100 moments', 540, $table['log_100'] ?? null),
            $least('A sorted set of 100 moments to ours, bytes', 4, $per($redis['zset_moments'] ?? null, $table['log_100'] ?? null)),
            $least('A sorted set of 100 UUIDs to ours, bytes', 9, $per($redis['zset_uuids'] ?? null, $table['log_100'] ?? null)),
        ];
    }

    private function speedUp(string $alone, string $both, string $name = 'dohandle'): ?float
    {
        $one = $this->results->get('two-off', $alone);
        $two = $this->results->get('two-off', $both);
        if (!isset($one[$name]['rounds'], $two[$name]['rounds'])) {
            return null;
        }
        return Rounds::median(array_map(static fn (float $a, float $b): float => 2 * ($a - $one['loop']['ns']) / ($b - $two['loop']['ns']),
            $one[$name]['rounds'], $two[$name]['rounds']));
    }

    /** Returns null if the deny cache was off: the server decided. */
    private function remembered(string $scene): ?float
    {
        $trips = $this->results->get($scene, 'refuse', 'dohandle', 'round_trips');
        return $trips === null || $trips > 0.5 ? null : $this->results->ratio($scene, 'refuse', 'article', 'dohandle');
    }

    /** Returns two decimals for small ratios, because the verdict depends on them. */
    private static function ratio(float $ratio): string
    {
        return $ratio < 10 ? sprintf('%.2f×', $ratio) : Table::ratio($ratio);
    }

    private static function number(float $n): string
    {
        return rtrim(rtrim(number_format($n, 2), '0'), '.');
    }
}
