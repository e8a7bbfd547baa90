<?php
/* One of several machines (machines.php), whose workers all decide about the same identities. It prints JSON: for each
 * identity the admitted calls, and the calls with an unknown result. */

require __DIR__ . '/../include/php.inc';
require __DIR__ . '/machine.inc';

$spec = json_decode($argv[1], true);
$asked = identities($spec['identities']);
eventually(fn () => file_exists($spec['start']), 60.0);
$answers = in_processes($spec['workers'], function () use ($asked, $spec): array {
	$seen = [];
	foreach ($asked as $id => [$kind, $limit, $ask]) {
		$seen[$id] = ['admitted' => 0, 'unknown' => 0];
		for ($i = shares($limit, $spec['machines'] * $spec['workers']); $i > 0; $i--) {
			$r = $ask();
			if ($r->reason === FrequencyLimit\Reason::StoreUnavailable) {
				$seen[$id]['unknown']++;
				pause(0.0005); /* the circuit breaker's delay */
			} else {
				$seen[$id]['admitted'] += (int) $r->accepted;
			}
		}
	}
	return $seen;
});
$sums = [];
foreach ($answers as $seen) {
	foreach ($seen as $id => $counts) {
		foreach ($counts as $what => $n) {
			$sums[$id][$what] = ($sums[$id][$what] ?? 0) + $n;
		}
	}
}
echo json_encode($sums);
