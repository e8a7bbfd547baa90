--TEST--
The numbers of stats() count a call with a shadow limit once, and what the shadow would refuse as no refusal
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/redis.inc';
use FrequencyLimit\{Limit, Limiter};

$redis = new RedisServer();
store_options(timeout: 20000);
foreach (['shm:' => ['decisions', 'refusals'], $redis->dsn() => ['redis_decisions', 'redis_refusals']] as $store => $names) {
	$limiter = new Limiter('both', [Limit::fixedWindow(10, 60), Limit::slidingLog(2, 60)->named('small')->shadow()], $store);
	$numbers = fn (): array => array_map(fn (string $name): int => FrequencyLimit\Monitor::stats()[$name], $names);
	$before = $numbers();
	for ($i = 0; $i < 5; $i++) {
		same([true, $i < 2 ? null : 'small'], [($result = $limiter->consume(7))->accepted, $result->shadow], "$store: call $i");
	}
	same([5, 0], array_map(fn (int $now, int $then): int => $now - $then, $numbers(), $before), "$store: five calls");
}
done();
?>
--EXPECT--
done
