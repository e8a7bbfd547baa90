<?php

/**
 * Runs one scene of the benchmark in this process: php run.php <scene> <rounds> <ms> <out.json>
 *
 * A scene is a file in scenes/, which documents its environment variables. A contestant that admits another number
 * than its limit ends the run: a wrong limiter's time is meaningless. A missing one is named in the
 * result. BENCH_ONLY: the contestants that take part, by commas.
 */

declare(strict_types=1);

error_reporting(E_ALL & ~E_DEPRECATED);
[, $scene, $rounds, $ms, $out] = $argv;
$dir = dirname($out);

foreach (['Peers', 'Rounds', 'IdStream', 'Scene', 'loops'] as $part) {
    require __DIR__ . "/lib/$part.php";
}
require __DIR__ . '/article.php';
if (getenv('BENCH_AUTOLOAD') !== false) {
    require getenv('BENCH_AUTOLOAD');
}

require __DIR__ . "/scenes/$scene.php";
$class = ucfirst($scene) . 'Scene';

$only = getenv('BENCH_ONLY') === false ? null : explode(',', getenv('BENCH_ONLY'));
$contestants = $missing = [];
foreach (require __DIR__ . '/peers.php' as $name => $contestant) {
    if ((!in_array($scene, $contestant['scenes'], true) && !in_array($name, $class::ALSO, true)) || ($only && !in_array($name, $only, true))) {
        continue;
    }
    $needs = $contestant['needs'] ?? null;
    if ($needs === null || (is_string($needs) ? class_exists($needs) : $needs())) {
        $contestants[$name] = $contestant;
    } else {
        $missing[] = $name;
    }
}
bench_write_loops($contestants, "$dir/loops_$scene.php");
require "$dir/loops_$scene.php";
if (!opcache_is_script_cached("$dir/loops_$scene.php")) {
    throw new RuntimeException('opcache did not take the loops: their times would be those of another PHP');
}

$run = new $class($contestants, (int) $rounds, (int) $ms * 1_000_000);
$result = ['exact' => $run->exact()] + $run->run() + ['missing' => $missing];
file_put_contents($out, json_encode($result, JSON_PRETTY_PRINT | JSON_THROW_ON_ERROR) . "\n");
