<?php

/**
 * Joins the scenes' results: php report.php <folder> <1: rewrite the README and docs/benchmarks*>
 * Writes <folder>/all.json, and prints the report.
 */

declare(strict_types=1);

foreach (['Machine', 'Rounds', 'Table', 'Results', 'Targets', 'Svg', 'Report'] as $part) {
    require __DIR__ . "/lib/$part.php";
}

[, $out, $write] = $argv;
$top = dirname(__DIR__);

$labels = array_map(static fn (array $contestant): string => $contestant['label'], require __DIR__ . '/peers.php');
$results = Results::of($out, Machine::describe(), $labels, $write === '1' ? "$top/docs/benchmarks.json" : null);
$report = new Report($results);

file_put_contents("$out/all.json", $results->json());
echo $report->full();

if ($write === '1') {
    file_put_contents("$top/docs/benchmarks.json", $results->json());
    foreach ($report->documents($top) as $file => $text) {
        file_put_contents("$top/$file", $text);
    }
} else {
    foreach ($report->plots() as $name => $svg) {
        file_put_contents("$out/$name", $svg);
    }
}
