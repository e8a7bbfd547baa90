--TEST--
Across 1,000 window ends under eight workers, no window exceeds its limit (embedded store, running clock)
--EXTENSIONS--
ratelimit
pcntl
--FILE--
<?php
require __DIR__ . '/../include/store.inc';

/* 300 identities with windows of a second, for three and a half: four windows begin, and not a fifth. */
const IDENTITIES = 300;
const LIMIT = 5;
$start = stopwatch();
$admitted = in_processes(8, function () use ($start) {
	$mine = array_fill(1, IDENTITIES, 0);
	while (stopwatch() - $start < 3.5) {
		for ($id = 1; $id <= IDENTITIES; $id++) {
			$mine[$id] += (int) FrequencyLimit::doHandle('edge', $id, 1, LIMIT);
			$mine[$id] += (int) FrequencyLimit::doHandle('edge', $id, 1, LIMIT);
		}
	}
	return $mine;
});
/* A window lasts a second at least: so many can have begun. */
$windows = (int) floor(stopwatch() - $start) + 1;
[$above, $sum] = [0, 0];
for ($id = 1; $id <= IDENTITIES; $id++) {
	$of = array_sum(array_column($admitted, $id));
	$above += (int) ($of > $windows * LIMIT);
	$sum += $of;
}
same(0, $above, "identities that were admitted more than $windows times " . LIMIT);
ok($sum >= 3 * IDENTITIES * LIMIT, "windows end, and others begin: $sum admitted");
done();
?>
--EXPECT--
done
