<?php

/**
 * The program under callgrind: php instructions.php <contestants, by commas> <calls> <folder>. Each contestant decides
 * <calls> times and then twice as often, admitted and refused, between marks; lib/Callgrind.php reads the counts between
 * them. The loops are those of the benchmark.
 */

declare(strict_types=1);

[, $names, $calls, $dir] = $argv;

require __DIR__ . '/lib/Peers.php';
require __DIR__ . '/lib/loops.php';
if (getenv('BENCH_AUTOLOAD') !== false) {
    error_reporting(E_ALL & ~E_DEPRECATED);
    require getenv('BENCH_AUTOLOAD');
}
$contestants = array_intersect_key(require __DIR__ . '/peers.php', array_flip(explode(',', $names)));
bench_write_loops($contestants, "$dir/loops_instructions.php");
require "$dir/loops_instructions.php";

$id = 7;
$isEmbedded = ini_get('ratelimit.store') === 'shm:';
foreach (explode(',', $names) as $name) {
    foreach (['admit' => 10_000, 'refuse' => 1] as $what => $number) {
        // If each call makes the next one more expensive: identities with 100 calls each.
        $hundred = $what === 'admit' && isset($contestants[$name]['hundred']);
        $run = static function (int $n) use ($name, $number, $hundred, &$id): array {
            return $hundred ? "bench_many_$name"(range($id += 1000, $id + intdiv($n, 100) - 1), 100, 100) : "bench_hot_$name"($id, $number, $n);
        };
        // The first call creates everything that the later ones reuse. Some thousand refusals a second are noted each, of more some
        // are: on Redis no worker refuses so many under valgrind, on every machine.
        ++$id;
        $run($hundred ? 100 : ($what === 'refuse' && $isEmbedded ? 6_000 : 200));
        foreach ([(int) $calls, 2 * (int) $calls] as $n) {
            RatelimitFloor::mark();
            [, $admitted] = $run($n);
            RatelimitFloor::mark();
            // A place that is given back is free for the next call.
            $all = $what === 'admit' || isset($contestants[$name]['places']);
            if ($contestants[$name]['admits'] !== null && $admitted !== ($all ? $n : 0)) {
                fwrite(STDERR, "$name admitted $admitted of $n calls\n");
                exit(1);
            }
        }
    }
}
