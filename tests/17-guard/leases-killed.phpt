--TEST--
Workers and hosts that lease permits are killed at random: no window exceeds its limit, no permit outlives its window
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
$o = ['limit' => 60, 'window' => 0.12, 'permits' => 20, 'hosts' => 3, 'workers' => 2, 'identities' => 6, 'seconds' => 6, 'kills' => 40, 'demand' => 0];
$r = play_leases($o);
ok($r['windows'] > 60, "{$r['windows']} windows");
ok($r['kills'] > 20, "{$r['kills']} kills");
same([0, 0], [$r['over'], $r['stray']], 'windows above the limit, permits used after their window');
ok($r['stores']['lease'] > $r['stores']['redis'], 'most are leased: ' . json_encode($r['stores']));
ok($r['admitted'] > 0.5 * $r['possible'], "{$r['admitted']} of {$r['possible']} admitted");
done();
?>
--EXPECT--
done
