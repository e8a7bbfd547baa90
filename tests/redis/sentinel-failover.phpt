--TEST--
The Sentinels' master decides; after a failover the new master decides, and loses only unreplicated counts
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
store_options(retry_delay: 1);

const LIMIT = 100_000;
$redis = new RedisSentinels();
ini_set('ratelimit.store', $redis->dsn('?db=2'));
same(LIMIT - 1, FrequencyLimit::check('load', 7, 3600, LIMIT)->remaining, 'the first decision');
ok(str_starts_with($redis->master->info('keyspace')['db2'] ?? '', 'keys=1,'), 'it was counted on the master, in its database');
same($redis->dsn('?db=2'), FrequencyLimit\Monitor::stats()['store'], 'stats()');

$died = temp_folder() . '/died';
$seen = in_processes(3, function (int $i) use ($redis, $died) {
	$seen = ['passed' => 0, 'errors' => 0, 'after' => 0, 'worst' => 0.0];
	$end = stopwatch() + 30.0;
	while ($seen['after'] < 200 && stopwatch() < $end) {
		if ($i === 0 && $seen['passed'] === 200) {
			$redis->master->signal(9);
			touch($died);
		}
		$dead = file_exists($died);
		$start = stopwatch();
		try {
			$passed = FrequencyLimit::check('load', 7, 3600, LIMIT)->accepted;
			$seen['passed'] += $passed;
			$seen['after'] += $dead && $passed;
		} catch (FrequencyLimit\StoreException) {
			$seen['errors']++;
			pause(0.005);
		}
		$seen['worst'] = max($seen['worst'], stopwatch() - $start);
	}
	return $seen;
});
$passed = 1;
foreach ($seen as $i => $worker) {
	$passed += $worker['passed'];
	ok($worker['errors'] > 0, "worker $i has met it");
	same(200, $worker['after'], "worker $i decides again");
	between(0, $worker['worst'], 5.0, "worker $i: the longest call, in seconds");
}
ok($redis->await_master($redis->replica), 'the sentinels name the replica');
$key = 'act:limit:load:7';
($redis->replica)('SELECT', 2);
$counted = (int) ($redis->replica)('GET', $key);
/* Answered and unreplicated decisions are lost: with working replication at most one in flight for each worker. */
between($passed - 3 * 5, $counted, $passed + 3, 'what the new master has counted, of what passed');
same(LIMIT - $counted - 1, FrequencyLimit::check('load', 7, 3600, LIMIT)->remaining, 'and this process finds it, too');
done();
?>
--EXPECT--
done
