<?php
/* A machine of failover.php: its workers count identities until they must stop, and then read what Redis has kept. It
 * prints JSON: acknowledged and kept counts of each identity, the calls without an answer, the longest time without one. */

require __DIR__ . '/../include/php.inc';

const LIMIT = 10_000_000, FOREVER = 86400;
$spec = json_decode($argv[1], true);
$ids = range(1, $spec['identities']);
eventually(fn () => FrequencyLimit::peek('failover', 1, FOREVER, LIMIT)->store === 'redis', 30.0) || throw new Exception('Redis does not answer');

$answers = in_processes($spec['workers'], function () use ($ids, $spec): array {
	$acknowledged = array_fill_keys($ids, 0);
	$unknown = 0;
	$longest = 0.0;
	$last = stopwatch();
	for ($n = 0; $n % 100 !== 0 || !file_exists($spec['stop']); $n++) {
		$id = $ids[$n % count($ids)];
		$r = FrequencyLimit::check('failover', $id, FOREVER, LIMIT);
		if ($r->reason === FrequencyLimit\Reason::StoreUnavailable) {
			$unknown++;
			pause(0.001);
			continue;
		}
		$acknowledged[$id] += (int) $r->accepted;
		$now = stopwatch();
		$longest = max($longest, $now - $last);
		$last = $now;
	}
	return [$acknowledged, $unknown, $longest];
});

$kept = [];
foreach ($ids as $id) {
	eventually(function () use ($id, &$kept): bool {
		$r = FrequencyLimit::peek('failover', $id, FOREVER, LIMIT);
		$kept[$id] = LIMIT - $r->remaining - 1;
		return $r->store === 'redis' && $r->accepted;
	}, 30.0);
}
$acknowledged = [];
foreach ($ids as $id) {
	$acknowledged[$id] = array_sum(array_map(fn (array $a): int => $a[0][$id], $answers));
}
echo json_encode(['acknowledged' => $acknowledged, 'kept' => $kept, 'unknown' => array_sum(array_column($answers, 1)),
	'longest_silence' => max(array_column($answers, 2))]);
