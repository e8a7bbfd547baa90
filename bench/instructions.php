<?php

/**
 * What callgrind watches: php instructions.php <contestants, by commas> <calls> <folder>. Each contestant decides
 * <calls> times and then twice as often, admitted and refused, between marks; lib/Callgrind.php reads what lies between
 * them. The loops are those of the benchmark.
 */

declare(strict_types=1);

[, $names, $calls, $dir] = $argv;

require __DIR__ . '/lib/Peers.php';
require __DIR__ . '/lib/loops.php';
$contestants = array_intersect_key(require __DIR__ . '/peers.php', array_flip(explode(',', $names)));
bench_write_loops($contestants, "$dir/loops_instructions.php");
require "$dir/loops_instructions.php";

$id = 7;
foreach (explode(',', $names) as $name) {
    foreach (['admit' => 1_000_000, 'refuse' => 1] as $what => $number) {
        $hot = "bench_hot_$name";
        // The first call finds nothing, the next ones whatever is only made once.
        $hot(++$id, $number, 10);
        foreach ([(int) $calls, 2 * (int) $calls] as $n) {
            RatelimitFloor::mark();
            [, $admitted] = $hot($id, $number, $n);
            RatelimitFloor::mark();
            if ($contestants[$name]['admits'] !== null && $admitted !== ($what === 'admit' ? $n : 0)) {
                fwrite(STDERR, "$name admitted $admitted of $n calls\n");
                exit(1);
            }
        }
    }
}
