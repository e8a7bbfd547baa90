--TEST--
SCRIPT FLUSH under load causes no error, and exactly the limit passes
--EXTENSIONS--
ratelimit
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/faults.inc';

use FrequencyLimit\{Limit, Limiter};

$redis = new RedisServer();
$faults = new Faults($redis, $redis->dsn());
ini_set('ratelimit.on_failure', 'throw');
$limiter = new Limiter('flush', [Limit::fixedWindow(700, 3600), Limit::slidingLog(2000, 3600)]);
$many = new Limiter('many', Limit::fixedWindow(100_000, 3600));
const WORKERS = 4, ROUNDS = 300;

$answers = in_processes(WORKERS + 1, function (int $i) use ($redis, $limiter, $many) {
	if ($i === WORKERS) {
		/* Until the workers have had theirs. */
		for ($flushes = 0; $redis('GET', 'done') !== (string) WORKERS; $flushes++) {
			$redis('SCRIPT', 'FLUSH');
		}
		return $flushes;
	}
	$passed = ['plain' => 0, 'limiter' => 0, 'many' => 0];
	for ($n = 0; $n < ROUNDS; $n++) {
		$passed['plain'] += (int) FrequencyLimit::doHandle('flush', 1, 3600, 700);
		$passed['limiter'] += (int) $limiter->consume(1)->accepted;
		foreach ($many->consumeMany([1, 2, 3]) as $r) {
			$passed['many'] += (int) $r->accepted;
		}
	}
	$redis('INCR', 'done');
	return $passed;
});
$flushes = array_pop($answers);
$sum = fn (string $of) => array_sum(array_column($answers, $of));
same([700, 700, WORKERS * ROUNDS * 3], [$sum('plain'), $sum('limiter'), $sum('many')], 'passed');
same('700', $redis('GET', 'act:limit:flush:1'), 'counted');
foreach ([1, 2, 3] as $id) {
	same(100_000 - WORKERS * ROUNDS - 1, $many->peek($id)->remaining, "counted of $id");
}
ok($flushes > 50 && $redis->calls('eval') > 20, "there were flushes, and they were met: $flushes, {$redis->calls('eval')} EVALs");
done();
?>
--EXPECT--
done
