<?php

/**
 * Prints the results of bench/compare.sh: php compare.php <folder>. Its files are <scene>-before-<run>.json and
 * <scene>-after-<run>.json.
 */

declare(strict_types=1);

require __DIR__ . '/lib/Rounds.php';
require __DIR__ . '/lib/Table.php';

/** @return array<string, array<string, list<float>>> series and contestant => the figure of each run */
function figures(string $folder, string $scene, string $which): array
{
    $figures = [];
    foreach (glob("$folder/$scene-$which-*.json") as $file) {
        $run = (int) substr(strrchr($file, '-'), 1);
        $result = json_decode(file_get_contents($file), true, flags: JSON_THROW_ON_ERROR);
        foreach ($result['counts'] ?? [] as $name => $counts) {
            foreach ($counts as $series => $instructions) {
                $figures[$series][$name][$run] = (float) $instructions;
            }
        }
        foreach (array_intersect_key($result, ['admit' => 0, 'refuse' => 0]) as $series => $contestants) {
            foreach ($contestants as $name => $contestant) {
                $figures[$series][$name][$run] = (float) $contestant['ns'];
            }
        }
    }
    return $figures;
}

$labels = array_map(static fn (array $contestant): string => $contestant['label'], require __DIR__ . '/peers.php');
$titles = ['memory' => 'Shared memory, ns', 'series' => 'The algorithms on shared memory, limits of 100, ns',
    'instructions' => 'Instructions, with the call', 'saturated' => "The Redis server's time, ns"];
foreach ($titles as $scene => $title) {
    $before = figures($argv[1], $scene, 'before');
    $after = figures($argv[1], $scene, 'after');
    $table = new Table(['', 'before, admitted', 'after', 'ratio', 'before, refused', 'after', 'ratio']);
    foreach ($before['admit'] ?? [] as $name => $runs) {
        if ($name === 'loop') {
            continue;
        }
        $cells = [$labels[$name]];
        foreach (['admit', 'refuse'] as $series) {
            [$old, $new] = [$before[$series][$name] ?? [], $after[$series][$name] ?? []];
            $ratios = [];
            foreach (array_intersect_key($old, $new) as $run => $figure) {
                if ($figure > 0) {
                    $ratios[] = $new[$run] / $figure;
                }
            }
            array_push($cells, ...($ratios === [] ? ['', '', ''] : [number_format(Rounds::median($old)), number_format(Rounds::median($new)),
                sprintf('%.3f', Rounds::median($ratios))]));
        }
        $table->add($cells);
    }
    if ($before !== []) {
        echo "### $title\n\n$table\n";
    }
}
