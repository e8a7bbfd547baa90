<?php

declare(strict_types=1);

/** The machine of the figures. */
final class Machine
{
    /** @return array<string, string|int|float> */
    public static function describe(): array
    {
        $cpu = is_readable('/proc/cpuinfo') ? file_get_contents('/proc/cpuinfo') : '';
        preg_match('/^model name\s*:\s*(.+)$/m', $cpu, $model);
        $release = is_readable('/etc/os-release') ? parse_ini_file('/etc/os-release') : [];
        $first = static fn (string $command): string => trim(strtok((string) shell_exec("$command 2>/dev/null"), "\n") ?: '');

        return array_filter([
            'date' => gmdate('Y-m-d'),
            'processor' => $model[1] ?? php_uname('m'),
            'processors' => (int) $first('nproc'),
            'virtual' => preg_match('/^flags\s*:.*\bhypervisor\b/m', $cpu) ? 'a virtual machine' : 'no virtual machine',
            'busy' => self::busyProcessors(),
            'system' => ($release['PRETTY_NAME'] ?? php_uname('s')) . ', Linux ' . php_uname('r'),
            'php' => PHP_VERSION . (PHP_ZTS ? ' ZTS' : ' NTS'),
            'compiler' => $first('cc --version'),
            'ratelimit' => (string) phpversion('ratelimit'),
            'commit' => $first('git -C ' . escapeshellarg(dirname(__DIR__, 2)) . ' rev-parse --short HEAD'),
            'apcu' => (string) phpversion('apcu'),
            'phpredis' => (string) phpversion('redis'),
            'nginx' => preg_replace('~.*nginx/(\S+).*~', '$1', $first('nginx -v 2>&1; true')),
            'wrk' => preg_replace('~^wrk (?:\w+/)?(\S+) .*~', '$1', $first('wrk --version; true')),
            'redis' => preg_replace('/.*v=(\S+).*/', '$1', $first('redis-server --version')),
        ] + self::packages(dirname((string) getenv('BENCH_AUTOLOAD')) . '/composer/installed.php'));
    }

    /** The processors that other work keeps busy while this process sleeps for a second. */
    private static function busyProcessors(): float
    {
        $ticks = static fn (): array => preg_match('/^cpu +(.+)$/m', (string) @file_get_contents('/proc/stat'), $m) ? explode(' ', $m[1]) : [];
        $before = $ticks();
        sleep(1);
        $spent = array_map(static fn (string $now, string $then): int => (int) $now - (int) $then, $ticks(), $before);
        $idle = ($spent[3] ?? 0) + ($spent[4] ?? 0); // and waiting for a disk

        return round((array_sum(array_slice($spent, 0, 8)) - $idle) / 100, 1);
    }

    /** @return array<string, string> */
    private static function packages(string $installed): array
    {
        $versions = [];
        $all = is_file($installed) ? (require $installed)['versions'] : [];
        foreach (['symfony/symfony', 'laravel/framework', 'predis/predis'] as $name) {
            if (isset($all[$name]['pretty_version'])) {
                $versions[$name] = $all[$name]['pretty_version'];
            }
        }
        return $versions;
    }
}
