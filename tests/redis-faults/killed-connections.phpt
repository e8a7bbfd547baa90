--TEST--
Killed connections under load never exceed the limit, and each admission is counted once
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

const WORKERS = 4, ROUNDS = 500, LIMIT = 300;
$redis = new RedisServer();
$faults = new Faults($redis, $redis->dsn());
ini_set('ratelimit.on_failure', 'deny');
$limiter = new Limiter('killed', Limit::slidingLog(10_000, 3600));
$answers = in_processes(WORKERS + 1, function (int $i) use ($redis, $limiter) {
	if ($i === WORKERS) {
		for ($kills = 0; $redis('GET', 'done') !== (string) WORKERS; pause(0.001)) {
			$kills += $redis('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
		}
		return $kills;
	}
	$seen = ['limited' => 0, 'accepted' => 0, 'unknown' => 0];
	$deadline = stopwatch() + 20;
	while ($seen['accepted'] < ROUNDS && stopwatch() < $deadline) {
		$seen['limited'] += (int) FrequencyLimit::doHandle('killed', 1, 3600, LIMIT);
		$r = $limiter->consume(1);
		$seen[$r->accepted ? 'accepted' : 'unknown']++;
		if (!$r->accepted) {
			pause(0.0005); /* the breaker's turn: without a pause the rounds would be over before it closes */
		}
	}
	/* This connection may be killed, too. */
	eventually(function () use ($redis) {
		try {
			return is_int((new RedisClient($redis->socket))('INCR', 'done'));
		} catch (\Exception) {
			return false;
		}
	});
	return $seen;
});
$kills = array_pop($answers);
$sum = fn (string $of) => array_sum(array_column($answers, $of));
ok($kills > WORKERS, "connections were killed: $kills");
between(1, $sum('limited'), LIMIT, 'passed');
between($sum('limited'), (int) $redis('GET', 'act:limit:killed:1'), LIMIT, 'counted');
$faults->heals('afterwards');
between($sum('accepted'), 10_000 - $limiter->peek(1)->remaining - 1, $sum('accepted') + $sum('unknown'), 'counted, of the log');
done();
?>
--EXPECT--
done
