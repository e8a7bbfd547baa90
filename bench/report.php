<?php

/**
 * Puts the scenes' results together: php report.php <folder> <1: rewrite the README and docs/benchmarks.*>
 * Writes <folder>/results.json, and prints the report.
 */

declare(strict_types=1);

foreach (['Machine', 'Rounds', 'Table', 'Results', 'Targets', 'Svg', 'Report'] as $part) {
    require __DIR__ . "/lib/$part.php";
}

[, $out, $write] = $argv;
$top = dirname(__DIR__);

$labels = array_map(static fn (array $contestant): string => $contestant['label'], require __DIR__ . '/peers.php');
$results = Results::of("$out/results", Machine::describe($out), $labels, $write === '1' ? "$top/docs/benchmarks.json" : null);
$report = new Report($results);

file_put_contents("$out/results.json", $results->json());
echo $report->full();

if ($write === '1') {
    file_put_contents("$top/docs/benchmarks.json", $results->json());
    foreach ($report->plots() as $name => $svg) {
        file_put_contents("$top/docs/$name", $svg);
    }
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
} else {
    foreach ($report->plots() as $name => $svg) {
        file_put_contents("$out/$name", $svg);
    }
}
