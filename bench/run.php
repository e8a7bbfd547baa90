<?php

/**
 * One scene of the benchmark, in this process: php run.php <scene> <rounds> <ms> <out.json>
 *
 *   memory  one process: one identity admitted, one refused, random ones of 200,000
 *   two     two processes at once: different identities, one identity, one refused, random ones
 *   series  the algorithms: 100 calls for each new identity
 *   redis   the same as memory, for what asks Redis (its socket: BENCH_REDIS)
 *
 * A contestant that admits another number than its limit says ends the run: a wrong limiter's time is worth nothing.
 */

declare(strict_types=1);

error_reporting(E_ALL & ~E_DEPRECATED);
[, $scene, $rounds, $ms, $out] = $argv;
$dir = dirname($out);

foreach (['Peers', 'Rounds', 'TwoProcesses', 'Scenes', 'loops'] as $part) {
    require __DIR__ . "/lib/$part.php";
}
require __DIR__ . '/article.php';
if (is_file("$dir/vendor/autoload.php")) {
    require "$dir/vendor/autoload.php";
}

$contestants = array_filter(require __DIR__ . '/peers.php', static fn (array $c): bool =>
    in_array($scene, $c['scenes'], true) && (!isset($c['needs']) || class_exists($c['needs'])));
bench_write_loops($contestants, "$dir/loops_$scene.php");
require "$dir/loops_$scene.php";
if (!opcache_is_script_cached("$dir/loops_$scene.php")) {
    throw new RuntimeException('opcache did not take the loops: their times would be those of another PHP');
}

$scenes = new Scenes($contestants, (int) $rounds, (int) $ms * 1_000_000);
$result = ['exact' => $scenes->exact()] + $scenes->$scene();
file_put_contents($out, json_encode($result, JSON_PRETTY_PRINT | JSON_THROW_ON_ERROR) . "\n");
