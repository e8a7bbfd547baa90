--TEST--
The new master of a failover is told what has passed meanwhile, and the limit is admitted, not more
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/topology.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/topology.inc';
store_options(connect_timeout: 1000, timeout: 1000, retry_delay: 100, deny_cache: 0);
use FrequencyLimit\{Limit, Limiter, Monitor};

$redis = new RedisSentinels();
ini_set('ratelimit.store', $redis->dsn());
$limiters = ['window' => new Limiter('window', Limit::fixedWindow(30, 3600)), 'log' => new Limiter('log', Limit::slidingLog(30, 3600)),
	'several' => new Limiter('several', [Limit::fixedWindow(30, 3600), Limit::tokenBucket(60, 86400)])];
$passed = array_fill_keys(array_keys($limiters), 0);
$round = function (int $n, string $store) use ($limiters, &$passed): void {
	foreach ($limiters as $name => $limiter) {
		for ($i = 0; $i < $n; $i++) {
			$r = $limiter->consume('x');
			same($store, $r->store, "$name: who decides");
			$passed[$name] += $r->accepted;
		}
	}
};
$round(10, 'redis');
same(1, ($redis->master)('WAIT', 1, 5000), 'the replica has all counts');
$redis->master->signal(9);
/* Peeks meet the dead master, so that no call is sent and lost. */
ok(eventually(fn () => Monitor::stats()['servers'][0]['state'] !== 'closed' || $limiters['window']->peek('nobody') === null), 'the circuit breaker opens');
$round(8, 'local');
ok($redis->await_master($redis->replica), 'the sentinels name the replica');
ok(eventually(fn () => $limiters['window']->peek('nobody')->store === 'redis', 20.0), 'it decides');
$round(20, 'redis');
foreach ($passed as $name => $n) {
	same(30, $n, "$name: passed");
}
$stats = Monitor::stats();
same([32, 32, 0], [$stats['permits_owed'], $stats['permits_told'], $stats['permits_lost']], 'owed, told, lost');
done();
?>
--EXPECT--
done
