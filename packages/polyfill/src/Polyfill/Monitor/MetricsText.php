<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Monitor;

use FrequencyLimit\Polyfill\Breaker;
use FrequencyLimit\Polyfill\Guards;
use FrequencyLimit\Polyfill\Overview;
use FrequencyLimit\Polyfill\Settings;

/** Writes the numbers of this process in the OpenMetrics text format 1.0, under the names of the extension. */
final class MetricsText
{
    /** The version of all packages, and of the extension. */
    public const VERSION = '0.1.0';

    private string $text = '';

    public function text(): string
    {
        $stats = Overview::stats();
        $this->family('build', 'info', null, 'The version, the store in use, and the kind of the shared memory.');
        $this->line('build_info', ['version' => self::VERSION, 'segment' => $stats['segment'], 'store' => Settings::get()->maskedStore()], 1);
        $this->totals($stats);
        $this->segment($stats);
        $this->family('config_warnings', 'gauge', null, 'Mistakes in the configuration; ratelimit check prints them.');
        $this->line('config_warnings', [], \count($stats['warnings']));
        $this->names();
        $this->limits();
        $this->breakers(Guards::breakers());
        return "$this->text# EOF\n";
    }

    private function family(string $name, string $type, ?string $unit, string $help): void
    {
        $this->text .= "# TYPE ratelimit_$name $type\n" . ($unit === null ? '' : "# UNIT ratelimit_$name $unit\n") . "# HELP ratelimit_$name $help\n";
    }

    /** @param array<string, string> $labels */
    private function line(string $name, array $labels, int|string $value): void
    {
        $texts = array_map(static fn (string $label, string $text): string => "$label=\"" . self::escape($text) . '"', array_keys($labels), $labels);
        $this->text .= "ratelimit_$name" . ($texts ? '{' . implode(',', $texts) . '}' : '') . " $value\n";
    }

    /** Control characters, and bytes that are not UTF-8, are written as \xNN. */
    private static function escape(string $text): string
    {
        $characters = preg_split('//u', $text, -1, PREG_SPLIT_NO_EMPTY);
        $escaped = '';
        foreach ($characters === false ? self::charactersOf($text) : $characters as $character) {
            $isPlain = preg_match('/^[^\x00-\x1f\x7f]$/Du', $character) === 1;
            $escaped .= match (true) {
                !$isPlain => sprintf('\\\\x%02x', \ord($character)),
                $character === '\\' || $character === '"' => "\\$character",
                default => $character,
            };
        }
        return $escaped;
    }

    /** @return list<string> the characters of UTF-8, and each other byte */
    private static function charactersOf(string $text): array
    {
        preg_match_all('/[\x00-\x7f]|[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]'
            . '|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2}|./s', $text, $found);
        return $found[0];
    }

    /** @param array<string, mixed> $stats */
    private function totals(array $stats): void
    {
        $counts = array_map(static fn (mixed $value): int => \is_int($value) ? $value : 0, $stats);
        $families = [
            'decisions' => ['Decisions of this machine, by where they were taken.', ['shm' => $counts['decisions'], 'redis' => $counts['redis_decisions'], 'cache' => 0, 'lease' => 0]],
            'refusals' => ['Refusals of this machine, by where they were decided.', ['shm' => $counts['refusals'], 'redis' => $counts['redis_refusals'], 'cache' => 0]],
            'bans' => ['Bans that began on this machine.', ['shm' => $counts['bans'], 'redis' => \FrequencyLimit\Polyfill\Statistics::$redisBans]],
            'errors' => ['Decisions that a store could not take.', ['shm' => $counts['errors'], 'redis' => $counts['redis_errors']]],
        ];
        foreach ($families as $name => [$help, $byStore]) {
            $this->family($name, 'counter', null, $help);
            foreach ($byStore as $store => $value) {
                $this->line("{$name}_total", ['store' => $store], $value);
            }
        }
        $this->family('fallbacks', 'counter', null, 'Decisions that were taken by ratelimit.on_failure.');
        $this->line('fallbacks_total', [], $counts['fallbacks']);
        $this->family('evictions', 'counter', null, 'Live states that gave their room to another identity.');
        $this->line('evictions_total', [], $counts['evictions']);
    }

    /** @param array<string, mixed> $stats */
    private function segment(array $stats): void
    {
        $gauges = [
            ['segment_bytes', 'bytes', 'Size of the shared memory; 0: there is none.', 'bytes'],
            ['slots', null, 'Identities that the table has room for.', 'slots'],
            ['slots_used', null, 'Slots of the table that were ever used.', 'slots_used'],
            ['records_bytes', 'bytes', 'Room for states that are larger than a slot.', 'records'],
            ['records_used_bytes', 'bytes', 'The part of that room that is handed out.', ''],
            ['workers', null, 'Threads and processes that have decided and are alive.', 'workers'],
        ];
        foreach ($gauges as [$name, $unit, $help, $key]) {
            $this->family($name, 'gauge', $unit, $help);
            $value = $stats[$key] ?? 0;
            $this->line($name, [], \is_int($value) ? $value : 0);
        }
    }

    private function names(): void
    {
        $families = [
            'decisions' => ['limiter_decisions', 'Decisions by name. Of an action only its refusals, unless ratelimit.count_actions is on.'],
            'refused' => ['limiter_refusals', 'Refusals by name.'],
            'banned' => ['limiter_bans', 'Bans begun by name.'],
            'shadow' => ['limiter_shadow_refusals', 'Calls that a shadow limit would have refused, by name.'],
            'near' => ['limiter_near_misses', 'Calls admitted with less than a tenth of the limit left, by name.'],
            'fallback' => ['limiter_fallbacks', 'Decisions by ratelimit.on_failure, by name.'],
            'errors' => ['limiter_errors', 'Calls that got a StoreException instead of a decision, by name.'],
        ];
        $rows = Meters::rows();
        foreach ($families as $count => [$name, $help]) {
            $this->family($name, 'counter', null, $help);
            foreach ($rows as $row) {
                $this->line("{$name}_total", ['kind' => $row['kind'], 'name' => $row['name']], $row[$count]);
            }
        }
    }

    private function limits(): void
    {
        $families = [
            'refused' => ['limit_refusals', 'Refusals by name and limit.'],
            'shadow' => ['limit_shadow_refusals', 'Calls that a shadow limit would have refused, by name and limit.'],
            'banned' => ['limit_bans', 'Bans begun by name and limit.'],
        ];
        $rows = Meters::rows();
        foreach ($families as $count => [$name, $help]) {
            $this->family($name, 'counter', null, $help);
            foreach ($rows as $row) {
                foreach ($row['limits'] as $limit) {
                    $this->line("{$name}_total", ['kind' => $row['kind'], 'name' => $row['name'], 'limit' => $limit['name']], $limit[$count]);
                }
            }
        }
    }

    /** @param list<Breaker> $breakers */
    private function breakers(array $breakers): void
    {
        $this->family('redis_breaker', 'stateset', null, 'The circuit breaker of a Redis server.');
        foreach ($breakers as $breaker) {
            foreach (['closed', 'open', 'half-open'] as $state) {
                $this->line('redis_breaker', ['server' => $breaker->facts()['server'], 'ratelimit_redis_breaker' => $state], (int) ($breaker->facts()['state'] === $state));
            }
        }
        $this->family('redis_failures', 'counter', null, 'Requests to a Redis server that failed.');
        foreach ($breakers as $breaker) {
            $this->line('redis_failures_total', ['server' => $breaker->facts()['server']], $breaker->facts()['failures']);
        }
        $this->family('redis_latency_seconds', 'histogram', 'seconds', 'The time of a request that a Redis server answered.');
        foreach ($breakers as $breaker) {
            $this->latencies($breaker);
        }
    }

    private function latencies(Breaker $breaker): void
    {
        $server = $breaker->facts()['server'];
        $sum = 0;
        foreach ($breaker->latencies() as $bound => $count) {
            $sum += $count;
            $this->line('redis_latency_seconds_bucket', ['server' => $server, 'le' => $bound === Breaker::BEYOND ? '+Inf' : self::seconds($bound)], $sum);
        }
        $this->line('redis_latency_seconds_count', ['server' => $server], $sum);
        $this->line('redis_latency_seconds_sum', ['server' => $server], sprintf('%.9F', $breaker->latencySum() / 1e6));
    }

    /** Returns seconds in their shortest form: 0.0001, 1.0. */
    private static function seconds(int $us): string
    {
        return preg_replace('/(?<!\.)0+$/D', '', sprintf('%d.%06d', intdiv($us, 1_000_000), $us % 1_000_000)) ?? '';
    }
}
