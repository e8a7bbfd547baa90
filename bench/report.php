<?php

/**
 * Joins the scenes' results: php report.php <folder> [all | parts]. Writes <folder>/all.json, and prints the report.
 *
 *   all      replaces docs/benchmarks.json, and rewrites the README and docs/benchmarks* from it
 *   parts    the same, but keeps the figures of scenes without a result in the folder
 *
 * Without a folder it rewrites the README and docs/benchmarks* from docs/benchmarks.json.
 */

declare(strict_types=1);

foreach (['Machine', 'Rounds', 'Table', 'Results', 'Budgets', 'Svg', 'Report'] as $part) {
    require __DIR__ . "/lib/$part.php";
}

[, $out, $write] = $argv + [1 => null, 2 => null];
$top = dirname(__DIR__);
$published = "$top/docs/benchmarks.json";

if ($out === null) {
    $results = Results::from($published);
} else {
    $labels = array_map(static fn (array $contestant): string => $contestant['label'], require __DIR__ . '/peers.php');
    $results = Results::of($out, Machine::describe(), $labels, $write === 'parts' ? $published : null);
    file_put_contents("$out/all.json", $results->json());
}
$report = new Report($results);
echo $report->full(), "\n", $report->budgets();

if ($out === null || $write === 'all' || $write === 'parts') {
    file_put_contents($published, $results->json());
    foreach ($report->documents($top) as $file => $text) {
        file_put_contents("$top/$file", $text);
    }
} else {
    foreach ($report->plots() as $name => $svg) {
        file_put_contents("$out/$name", $svg);
    }
}
