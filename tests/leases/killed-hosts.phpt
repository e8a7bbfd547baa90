--TEST--
Random kills of leasing workers and hosts never exceed a limit, and no permit outlives its window
--EXTENSIONS--
ratelimit
pcntl
posix
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/leases.inc';
/* Calls without a pause, and fewer calls than the limit: then a window ends with unused permits. */
foreach (['all' => 0, 'some' => 0.7] as $name => $demand) {
	$r = play_leases(['limit' => 60, 'window' => 0.12, 'permits' => 20, 'hosts' => 3, 'workers' => 2, 'identities' => 5, 'seconds' => 4,
		'kills' => 40, 'demand' => $demand]);
	ok($r['windows'] > 30, "$name: {$r['windows']} windows");
	ok($r['kills'] > 10, "$name: {$r['kills']} kills");
	same([0, 0], [$r['over'], $r['stray']], "$name: windows above the limit, permits used after their window");
	ok($r['stores']['lease'] > $r['stores']['redis'], "$name: most are leased: " . json_encode($r['stores']));
}
done();
?>
--EXPECT--
done
