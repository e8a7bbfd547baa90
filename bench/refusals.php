<?php
/* Counts the calls that the sliding window refuses and the sliding log admits: the price of its bounded memory. Plays the
 * same traffic to both, on the embedded store with a controlled clock, and prints the table of docs/limiters.md.
 *
 *     php -d extension=ratelimit.so -d ratelimit.testing=1 bench/refusals.php [--write]
 *
 * --write writes it there, between <!-- refusals:begin --> and <!-- refusals:end -->. */
require __DIR__ . '/../tests/model/model.inc';

use FrequencyLimit\{Limit, Limiter};
use Model\Traffic;

const SHAPES = [[10, 1_000], [100, 60_000], [1000, 3_600_000]];
const PERIODS = 200;

$rows = [['traffic', 'calls', 'log admits', 'window admits', 'fewer']];
foreach (Traffic::KINDS as $kind => $name) {
	$calls = $by_log = $by_window = 0;
	foreach (SHAPES as [$limit, $period_ms]) {
		$moments = Traffic::moments($kind, $limit, $period_ms, PERIODS, 1);
		$log = Traffic::admitted(new Limiter("log $limit", Limit::slidingLog($limit, $period_ms / 1000)), $moments);
		$window = Traffic::admitted(new Limiter("window $limit", Limit::slidingWindow($limit, $period_ms / 1000)), $moments);
		foreach ([$log, $window] as $admitted) {
			if (Traffic::most($admitted, $period_ms) > $limit) {
				fwrite(STDERR, "$kind: one too many was admitted\n");
				exit(1);
			}
		}
		$calls += count($moments);
		$by_log += count($log);
		$by_window += count($window);
	}
	$rows[] = [$name, number_format($calls), number_format($by_log), number_format($by_window),
		sprintf('%.1f %%', 100 * ($by_log - $by_window) / $by_log)];
}

$table = '';
foreach ($rows as $i => $row) {
	$table .= '| ' . implode(' | ', $row) . " |\n" . ($i === 0 ? "|---|--:|--:|--:|--:|\n" : '');
}
$shapes = implode(', ', array_map(fn ($s) => "$s[0] in " . $s[1] / 1000 . ' s', SHAPES));
$table .= "\nLimits: $shapes; " . PERIODS . " periods each. `bench/refusals.php` makes this table.\n";
echo $table;

if (in_array('--write', $argv, true)) {
	$file = __DIR__ . '/../docs/limiters.md';
	$text = preg_replace('/(<!-- refusals:begin -->\n).*?(<!-- refusals:end -->)/s', '${1}' . strtr($table, ['$' => '\$']) . '${2}',
		file_get_contents($file), -1, $count);
	if ($count !== 1) {
		fwrite(STDERR, "docs/limiters.md lacks the markers\n");
		exit(1);
	}
	file_put_contents($file, $text);
}
