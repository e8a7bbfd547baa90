<?php

declare(strict_types=1);

/** Measures the cost of a measurement on the Redis server of BENCH_REDIS. */
final class RedisMeter
{
    /** @return callable(int): array{server_us: float, round_trips: float} of one of n decisions, since now */
    public static function start(): callable
    {
        [$us, $reads] = self::now();
        return static function (int $n) use ($us, $reads): array {
            [$us_now, $reads_now] = self::now();
            // The server has read this request, too.
            return ['server_us' => ($us_now - $us) / $n, 'round_trips' => max(0, $reads_now - $reads - 1) / $n];
        };
    }

    /** Returns its processor time in us, and the number of its reads from clients. */
    private static function now(): array
    {
        $info = Peers::redis()->info();
        return [($info['used_cpu_user'] + $info['used_cpu_sys']) * 1e6, (int) $info['total_reads_processed']];
    }
}
