<?php
/* One of several machines (machines.php): workers that all ask for the same identities. What came of it, as JSON: for each
 * identity how many were admitted, and of how many nobody knows. */

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
				pause(0.0005); /* the breaker's turn */
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
