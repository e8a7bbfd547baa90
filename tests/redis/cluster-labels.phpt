--TEST--
In a cluster, limits with identities of their own pass exactly to the limits, and refused parts go back
--EXTENSIONS--
ratelimit
pcntl
--INI--
ratelimit.on_failure=throw
--SKIPIF--
<?php
require __DIR__ . '/../include/topology.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/topology.inc';
$redis = new RedisCluster(3, 0);
ini_set('ratelimit.store', $redis->dsn());
require __DIR__ . '/../concurrency/labels.inc';

/* A decision counts once for stats(), whatever the number of nodes. */
use FrequencyLimit\{Limit, Limiter, Monitor};
$by = new Limiter('counted', [Limit::fixedWindow(1, 3600)->by('user'), Limit::fixedWindow(9, 3600)->by('tenant')]);
$before = Monitor::stats();
same([true, false], [$by->allow(['user' => 1, 'tenant' => 2]), $by->allow(['user' => 1, 'tenant' => 2])], 'one passes');
$after = Monitor::stats();
foreach (['redis_decisions' => 2, 'redis_refusals' => 1] as $name => $n) {
	same($n, $after[$name] - $before[$name], $name);
}
done();
?>
--EXPECT--
done
