--TEST--
Random kills of workers and hosts with automatic leases never exceed a limit, and no permit outlives its window
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
foreach (['limiter' => 0.5, 'counter' => 1, 'several' => 1.5] as $of => $window) {
	$r = play_leases(['limit' => 1000, 'window' => $window, 'of' => $of, 'hosts' => 2, 'workers' => 2, 'identities' => 2, 'seconds' => $of === 'several' ? 5 : 3,
		'kills' => 60, 'demand' => 0]);
	ok($r['windows'] > 2, "$of: {$r['windows']} windows");
	ok($r['kills'] > 5, "$of: {$r['kills']} kills");
	same([0, 0], [$r['over'], $r['stray']], "$of: windows above the limit, permits used after their window");
	ok($r['stores']['lease'] > 0, "$of: some are leased: " . json_encode($r['stores']));
}
done();
?>
--EXPECT--
done
