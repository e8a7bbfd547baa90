--TEST--
When a cluster node dies under load, its replica decides soon, and loses only unreplicated counts
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

const LIMIT = 1_000_000;
$redis = new RedisCluster(3, 3);
ini_set('ratelimit.store', $redis->dsn());
/* An identity on each master. */
$ids = [];
for ($id = 1; count($ids) < 3; $id++) {
	$ids[array_search($redis->home($redis->slot("act:limit:load:$id")), $redis->nodes, true)] ??= $id;
}
$died = temp_folder() . '/died';
$seen = in_processes(3, function (int $i) use ($redis, $ids, $died) {
	$seen = ['passed' => [0, 0, 0], 'after' => 0, 'errors' => 0, 'worst' => 0.0];
	$end = stopwatch() + 40.0;
	for ($n = 0; $seen['after'] < 200 && stopwatch() < $end; $n++) {
		if ($i === 0 && $n === 600) {
			$offset = (int) $redis->nodes[0]->info('replication')['master_repl_offset'];
			if (!eventually(fn () => ($replica = $redis->nodes[3]->info('replication'))['master_link_status'] === 'up'
					&& (int) $replica['slave_repl_offset'] >= $offset)) {
				throw new Exception('the replica has lost its master before it died, or lags behind');
			}
			$redis->nodes[0]->signal(9);
			touch($died);
		}
		$dead = file_exists($died);
		$start = stopwatch();
		try {
			$passed = FrequencyLimit::check('load', $ids[$n % 3], 3600, LIMIT)->accepted;
			$seen['passed'][$n % 3] += $passed;
			$seen['after'] += $dead && $n % 3 === 0 && $passed;
		} catch (FrequencyLimit\StoreException) {
			$seen['errors']++;
			pause(0.005);
		}
		$seen['worst'] = max($seen['worst'], stopwatch() - $start);
	}
	return $seen;
});
foreach ($seen as $i => $worker) {
	same(200, $worker['after'], "worker $i decides again");
	between(0, $worker['worst'], 5.0, "worker $i: the longest call, in seconds");
}
same('master', $redis->nodes[3]('ROLE')[0], 'the replica is the master');
foreach ([3, 1, 2] as $master => $node) {
	$passed = array_sum(array_map(fn ($worker) => $worker['passed'][$master], $seen));
	$counted = (int) $redis->nodes[$node]('GET', "act:limit:load:$ids[$master]");
	/* What was answered and not replicated is lost: of each worker a decision in flight or a few. And one whose answer was
	 * lost may be counted. Of the others' none. */
	between($passed - ($master === 0 ? 15 : 0), $counted, $passed + ($master === 0 ? 3 : 0), "counted on master $master");
}
done();
?>
--EXPECT--
done
