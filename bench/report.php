<?php

/**
 * Puts the scenes' results together: php report.php <folder> <1: rewrite the README and docs/benchmarks.md>
 * Writes <folder>/results.json and prints the report.
 */

declare(strict_types=1);

require __DIR__ . '/lib/Machine.php';
require __DIR__ . '/lib/Table.php';
require __DIR__ . '/lib/Report.php';

[, $out, $write] = $argv;
$top = dirname(__DIR__);

$read = static fn (string $name): ?array => is_file("$out/$name.json")
    ? json_decode(file_get_contents("$out/$name.json"), true) : null;
$runs = [];
foreach (['memory', 'series', 'two'] as $scene) {
    foreach (['off', 'tracing'] as $jit) {
        $runs[$scene][$jit] = $read("$scene-$jit");
    }
}
$runs['redis'] = ['one' => $read('redis-one'), 'two' => $read('redis-two')];

$labels = array_map(static fn (array $contestant): string => $contestant['label'], require __DIR__ . '/peers.php');
$report = new Report($runs, $read('instructions'), $labels, Machine::describe($out));

file_put_contents("$out/results.json", json_encode($report->data(), JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES) . "\n");
echo $report->full();

if ($write === '1') {
    foreach (["$top/README.md" => $report->short(), "$top/docs/benchmarks.md" => $report->full()] as $file => $text) {
        $old = is_file($file) ? file_get_contents($file) : '';
        $begin = '<!-- bench:begin -->';
        $end = '<!-- bench:end -->';
        if (!str_contains($old, $begin) || !str_contains($old, $end)) {
            fwrite(STDERR, "$file has no $begin and $end: left as it is\n");
            continue;
        }
        [$before, $rest] = explode($begin, $old, 2);
        $after = explode($end, $rest, 2)[1];
        file_put_contents($file, "$before$begin\n$text$end$after");
    }
}
