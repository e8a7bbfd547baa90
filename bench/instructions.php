<?php

/**
 * For callgrind: one contestant called many times, php instructions.php <contestant> <admit|refuse> <calls> <folder>.
 * The loops are those of the benchmark.
 */

declare(strict_types=1);

[, $name, $what, $n, $dir] = $argv;

require __DIR__ . '/lib/Peers.php';
require __DIR__ . '/lib/loops.php';
$contestants = [$name => (require __DIR__ . '/peers.php')[$name]];
bench_write_loops($contestants, "$dir/loops_$name.php");
require "$dir/loops_$name.php";

$number = $what === 'admit' ? 16_777_215 : 1;
"bench_hot_$name"(7, $number, 10);
[, $admitted] = "bench_hot_$name"(7, $number, (int) $n);
if ($contestants[$name]['admits'] !== null && $admitted !== ($what === 'admit' ? (int) $n : 0)) {
    fwrite(STDERR, "$name admitted $admitted of $n calls\n");
    exit(1);
}
