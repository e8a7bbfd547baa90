<?php
/* Plays leases over many windows (scripts/long.sh leases), and prints a row for each set-up: leases.php SECONDS
 *
 * Columns: of: one window of a limiter or of a counter (check()), several limits, a sliding window or a bucket, for which
 * "windows" are spans of time. demand: the calls of a window, as a share of its limit; "all": without a pause. over: windows that
 * admitted more than the limit. stray: permits used after their window. stranded: the share of calls that leases refused and
 * Redis would have admitted. leased: the share of admissions without a request to Redis. */
require __DIR__ . '/../guard/leases.inc';

$seconds = (float) ($argv[1] ?? 20);
/* identities, limit, window in s, of, hosts, workers, kills (ms between two), demand (share of the limit) */
$setups = [
	[4, 1000, 0.5, 'limiter', 3, 2, 60, 0], [4, 5000, 1, 'counter', 3, 2, 60, 0], [4, 5000, 1, 'limiter', 2, 2, 0, 1.0], [4, 5000, 1, 'counter', 2, 2, 100, 0.7],
	[4, 5000, 2, 'several', 3, 2, 60, 0],
	[2, 2000, 3, 'sliding', 3, 2, 100, 0], [2, 2000, 2, 'bucket', 3, 2, 100, 0],
];
$failed = false;
$windows = $kills = 0;
printf("%5s %6s %7s %5s %7s %6s | %7s %4s %5s %8s %8s %8s %6s\n", 'limit', 'window', 'of', 'hosts', 'workers', 'demand',
	'windows', 'over', 'stray', 'admitted', 'stranded', 'leased', 'kills');
foreach ($setups as [$identities, $limit, $window, $of, $hosts, $workers, $every, $demand]) {
	$r = play_leases(['limit' => $limit, 'window' => $window, 'of' => $of, 'hosts' => $hosts, 'workers' => $workers,
		'identities' => $identities, 'seconds' => $seconds, 'kills' => $every, 'demand' => $demand]);
	printf("%5d %4d ms %7s %5d %7d %6s | %7d %4d %5d %8d %8s %6.1f %% %6d\n", $limit, 1000 * $window, $of, $hosts, $workers,
		$demand ?: 'all', $r['windows'], $r['over'], $r['stray'], $r['admitted'],
		$demand && $r['possible'] ? sprintf('%.2f %%', 100 * (1 - $r['admitted'] / $r['possible'])) : '',
		100 * $r['stores']['lease'] / max(1, $r['stores']['lease'] + $r['stores']['redis']), $r['kills']);
	$failed = $failed || $r['over'] > 0 || $r['stray'] > 0;
	$windows += $r['windows'];
	$kills += $r['kills'];
}
echo "$windows windows, $kills kills: ", $failed ? 'a window exceeded its limit' : 'none exceeded its limit', "\n";
exit((int) $failed);
