<?php

declare(strict_types=1);

use FrequencyLimit\{Limit, Limiter};

/**
 * Measures the memory of one identity in a store, with the store's own overhead. With BENCH_REDIS: the growth of the
 * server's used memory; else that of the segment and of APCu.
 */
final class BytesScene extends Scene
{
    private const APCU = ['apcu_inc', 'symfony_apcu', 'symfony_apcu_sliding', 'symfony_apcu_bucket', 'laravel_apcu'];
    private const REDIS = ['article', 'symfony_redis', 'laravel_redis'];
    public const ALSO = [...self::APCU, ...self::REDIS];
    private const IDENTITIES = 40_000;
    private const LOGS = 1_000;
    private const LOG = 100;

    public function exact(): array
    {
        return []; // other scenes measure time
    }

    public function run(): array
    {
        return getenv('BENCH_REDIS') === false ? ['embedded' => $this->embedded()] : ['redis' => $this->redis()];
    }

    private function embedded(): array
    {
        $log = $this->logged(new Limiter('bytes', Limit::slidingLog(self::LOG, 3600)), 20_000);
        $stats = FrequencyLimit\Monitor::stats();
        $slot = ($stats['bytes'] - $stats['records']) / $stats['slots'];
        $ours = ['log_100' => round($stats['records_used'] / $log + $slot, 1)];

        // The table, filled to half and more: its memory, and the evictions.
        foreach ([50, 60, 70] as $percent) {
            $target = intdiv($stats['slots'] * $percent, 100);
            $before = FrequencyLimit\Monitor::stats()['evictions'];
            for ($i = FrequencyLimit\Monitor::stats()['slots_used']; $i < $target; ++$i) {
                FrequencyLimit::doHandle('fill', $i + 1, 3600, 1000);
            }
            $ours["counter_$percent"] = round($slot * 100 / $percent, 1);
            $ours["lost_$percent"] = FrequencyLimit\Monitor::stats()['evictions'] - $before;
            $ours["identities_$percent"] = $target;
        }
        $ours['slot'] = round($slot, 1);

        $apcu = [];
        foreach (self::APCU as $name) {
            if (isset($this->contestants[$name])) {
                $before = apcu_sma_info(true)['avail_mem'];
                "bench_random_$name"($this->fresh(self::IDENTITIES), 1_000);
                $apcu[$name] = round(($before - apcu_sma_info(true)['avail_mem']) / self::IDENTITIES, 1);
            }
        }
        return $ours + $apcu;
    }

    private function redis(): array
    {
        $bytes = ['dohandle' => $this->grown(self::IDENTITIES, static function (array $ids): void {
            foreach ($ids as $id) {
                FrequencyLimit::doHandle('bytes', $id, 3600, 1_000);
            }
        }), 'log_100' => $this->grown(self::LOGS, fn (array $ids) =>
            $this->logged(new Limiter('bytes', Limit::slidingLog(self::LOG, 3600)), count($ids)))];
        foreach (self::REDIS as $name) {
            if (isset($this->contestants[$name])) {
                $bytes[$name] = $this->grown(self::IDENTITIES, static fn (array $ids) => "bench_random_$name"($ids, 1_000));
            }
        }
        // The usual logs of applications: a sorted set of moments, with the moment itself or a UUID as member.
        $moment = static fn (int $i): int => 1_700_000_000_000_000 + $i * 36_000_123;
        foreach (['zset_moments' => static fn (int $i): string => (string) $moment($i),
            'zset_uuids' => static fn (int $i): string => substr(chunk_split(bin2hex(random_bytes(18)), 9, '-'), 0, 36)] as $name => $member) {
            $bytes[$name] = $this->grown(self::LOGS, static function (array $ids) use ($member, $moment): void {
                foreach ($ids as $id) {
                    $pipeline = Peers::redis()->pipeline();
                    for ($i = 0; $i < self::LOG; ++$i) {
                        $pipeline->zAdd("zset:$id", $moment($i), $member($i));
                    }
                    $pipeline->expire("zset:$id", 3600)->exec();
                }
            });
        }
        return $bytes;
    }

    /** Identities with full logs. */
    private function logged(Limiter $limiter, int $identities): int
    {
        foreach ($this->fresh($identities) as $id) {
            for ($i = 0; $i < self::LOG; ++$i) {
                if (!$limiter->consume($id)->accepted) {
                    throw new RuntimeException('a log of ' . self::LOG . " refused its moment $i");
                }
            }
        }
        return $identities;
    }

    /** Returns the growth of the server's memory in bytes for each identity: keys, values, expiries, and its tables. */
    private function grown(int $identities, callable $come): float
    {
        $redis = Peers::redis();
        $redis->flushAll();
        $before = $redis->info('memory')['used_memory'];
        $come($this->fresh($identities));
        usleep(300_000); // its tables grow in the background
        return round(($redis->info('memory')['used_memory'] - $before) / $identities, 1);
    }
}
