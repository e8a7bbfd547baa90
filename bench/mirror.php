<?php
/* The measurement of bench/mirror.sh: php mirror.php <module with the mirror> <module without it> <pairs> */
declare(strict_types=1);

require __DIR__ . '/../tests/include/redis.inc';

const BLOCK = 20;

/** The calls; each takes a number. */
$calls = [
    '`doHandle()`' => 'FrequencyLimit::doHandle("mirror", 1 + $n % 500, 3600, 1000000)',
    '`consume()`, fixed window' => '$fixed->consume(1 + $n % 500)',
    '`consume()`, token bucket' => '$bucket->consume(1 + $n % 500)',
    '`consume()`, sliding log' => '$log->consume(1 + $n % 500)',
    '`consume()`, three limits' => '$three->consume(1 + $n % 500)',
];

/** Returns the program of one process: each line of its input has a number of calls; it answers with their nanoseconds. */
function program(string $call): string
{
    return 'use FrequencyLimit\{Limit, Limiter};
        $fixed = new Limiter("fixed", Limit::fixedWindow(1000000, 3600));
        $bucket = new Limiter("bucket", Limit::tokenBucket(1000000, 1000000));
        $log = new Limiter("log", Limit::slidingLog(20, 3600));
        $three = new Limiter("three", [Limit::fixedWindow(1000000, 3600), Limit::tokenBucket(1000000, 1000000), Limit::fixedWindow(1000000, 7200)]);
        for ($n = 0; ($line = fgets(STDIN)) !== false;) {
            $begin = hrtime(true);
            for ($end = $n + (int) $line; $n < $end; $n++) {
                ' . $call . ';
            }
            echo hrtime(true) - $begin, "\n";
        }';
}

/** @return list<string> */
function command(string $module, string $dsn, string $call): array
{
    return [PHP_BINARY, '-n', '-d', 'memory_limit=-1', '-d', "extension=$module", '-d', 'ratelimit.shm_path=private', '-d', "ratelimit.store=\"$dsn&deny_cache=0&connect_timeout=10000&timeout=10000\"",
        '-d', 'ratelimit.on_failure=throw', '-r', program($call)];
}

function median(array $numbers): float
{
    sort($numbers);
    return (float) $numbers[intdiv(count($numbers), 2)];
}

/** @return array{float, float, float} microseconds of a call with the mirror and without; the median difference of a pair */
function times(array $modules, string $dsn, string $call, int $pairs): array
{
    foreach ($modules as $i => $module) {
        $processes[$i] = proc_open(command($module, "$dsn?db=$i", $call), [['pipe', 'r'], ['pipe', 'w']], $pipes[$i]);
    }
    $block = static function (int $i) use ($pipes): float {
        fwrite($pipes[$i][0], BLOCK . "\n");
        return (int) (fgets($pipes[$i][1]) ?: throw new Exception('a process has ended')) / BLOCK / 1000;
    };
    for ($warm = 0; $warm < 1000; $warm++) {
        $block(0);
        $block(1);
    }
    for ($pair = 0; $pair < $pairs; $pair++) {
        foreach ($pair % 2 === 0 ? [0, 1] : [1, 0] as $i) {
            $us[$i][] = $block($i);
        }
        $differences[] = $us[0][$pair] - $us[1][$pair];
    }
    foreach ($pipes as $of) {
        fclose($of[0]);
    }
    array_map('proc_close', $processes);
    return [median($us[0]), median($us[1]), median($differences)];
}

/** Returns the instructions of a call in user space, by callgrind; NULL without it. */
function instructions(string $module, string $dsn, string $call): ?int
{
    if (trim((string) shell_exec('command -v valgrind')) === '') {
        return null;
    }
    foreach ([1000, 3000] as $n) {
        $process = proc_open(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', ...command($module, "$dsn?db=0", $call)], [['pipe', 'r'], ['pipe', 'w'], ['pipe', 'w']], $pipes);
        fwrite($pipes[0], "1000\n$n\n");
        fclose($pipes[0]);
        stream_get_contents($pipes[1]);
        preg_match('/Collected : (\d+)/', stream_get_contents($pipes[2]), $found);
        proc_close($process);
        $collected[] = (int) ($found[1] ?? 0);
    }
    return intdiv($collected[1] - $collected[0], 2000);
}

[, $with, $without, $pairs] = $argv;
$redis = new RedisServer();
$dsn = "unix://$redis->socket";
echo "| a call on a unix socket | without, µs | with, µs | the mirror | instructions without | with |\n|---|--:|--:|--:|--:|--:|\n";
foreach ($calls as $name => $call) {
    [$us, $us_without, $difference] = times([$with, $without], $dsn, $call, (int) $pairs);
    printf("| %s | %.1f | %.1f | %.2f µs, %.1f %% | %s | %s |\n", $name, $us_without, $us, $difference,
        100 * $difference / $us_without, instructions($without, $dsn, $call) ?? '', instructions($with, $dsn, $call) ?? '');
}
