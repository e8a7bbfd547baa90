--TEST--
A master that is demoted and promoted under load never exceeds the limit, and counts nothing twice
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

const WORKERS = 4, ROUNDS = 400, LIMIT = 500;
$redis = new RedisServer();
$faults = new Faults($redis, $redis->dsn());
ini_set('ratelimit.on_failure', 'deny');
$limiter = new Limiter('demoted', Limit::tokenBucket(100_000, 360_000));
$answers = in_processes(WORKERS + 1, function (int $i) use ($redis, $limiter) {
	if ($i === WORKERS) {
		for ($n = 0; (new RedisClient($redis->socket))('GET', 'done') !== (string) WORKERS; $n++) {
			(new RedisClient($redis->socket))('REPLICAOF', '127.0.0.1', '1');
			pause(0.004);
			(new RedisClient($redis->socket))('REPLICAOF', 'NO', 'ONE');
			pause(0.02);
		}
		return $n;
	}
	$seen = ['limited' => 0, 'accepted' => 0, 'unknown' => 0];
	$deadline = stopwatch() + 200;
	while ($seen['accepted'] < ROUNDS && stopwatch() < $deadline) {
		$seen['limited'] += (int) FrequencyLimit::doHandle('demoted', 1, 3600, LIMIT);
		$r = $limiter->consume(1);
		$seen[$r->accepted ? 'accepted' : 'unknown']++;
		pause(0.0002);
	}
	eventually(fn () => is_int((new RedisClient($redis->socket))('INCR', 'done')));
	return $seen;
});
$demotions = array_pop($answers);
$sum = fn (string $of) => array_sum(array_column($answers, $of));
ok($demotions > 3 && $sum('unknown') > 0, "it was a replica $demotions times, and that was met: {$sum('unknown')}");
same(LIMIT, $sum('limited'), 'passed');
same((string) LIMIT, $redis('GET', 'act:limit:demoted:1'), 'counted');
$faults->heals('afterwards');
/* A rejected call was not counted: READONLY proves it, and no call was sent twice. A permit returns each 3.6 s. */
between($sum('accepted') - 10, 100_000 - $limiter->peek(1)->remaining - 1, $sum('accepted'), 'counted, of the bucket');
done();
?>
--EXPECT--
done
