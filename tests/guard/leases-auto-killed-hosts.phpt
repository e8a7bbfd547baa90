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
require_once __DIR__ . '/../include/tools.inc';
foreach (['limiter' => 0.5, 'counter' => 1, 'several' => 1.5] as $of => $window) {
	/* A busy machine, where few hosts come to their windows, plays again, for longer. */
	$seconds = amount($of === 'several' ? 5 : 3, ['limiter' => 1.5, 'counter' => 2, 'several' => 3][$of]);
	do {
		$r = play_leases(['limit' => 1000, 'window' => $window, 'of' => $of, 'hosts' => 2, 'workers' => 2, 'identities' => 2, 'seconds' => $seconds,
			'kills' => 60, 'demand' => 0]);
		same([0, 0], [$r['over'], $r['stray']], "$of: windows above the limit, permits used after their window");
		$enough = $r['windows'] > 2 && $r['kills'] > 5 && $r['stores']['lease'] > 0;
	} while (!$enough && ($seconds *= 3) < 100);
	ok($r['windows'] > 2, "$of: {$r['windows']} windows");
	ok($r['kills'] > 5, "$of: {$r['kills']} kills");
	ok($r['stores']['lease'] > 0, "$of: some are leased: " . json_encode($r['stores']));
}
done();
?>
--EXPECT--
done
