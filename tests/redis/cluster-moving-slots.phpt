--TEST--
While slots move under load, every identity passes exactly as often as its limit allows, without an error
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

use FrequencyLimit\{Limit, Limiter};

const SLOTS = 12;        /* that move */
const LIMIT = 300;       /* of the identity that each has, which all workers share */
const NEW_LIMIT = 2;     /* of new identities */
const WORKERS = 3;

$redis = new RedisCluster(3);
ini_set('ratelimit.store', $redis->dsn());
/* One identity in each of some slots of the first node. */
$ids = [];
for ($id = 1; count($ids) < SLOTS; $id++) {
	$slot = $redis->slot("act:limit:move:$id");
	if ($redis->home($slot) === $redis->nodes[0]) {
		$ids[$slot] ??= $id;
	}
}
/* And new ones of the same slots: tags that are the known ones' keys. */
$new = fn (int $slot, int $i) => "{act:limit:move:{$ids[$slot]}}$i";
$many = new Limiter('several', [Limit::slidingLog(LIMIT, 3600), Limit::fixedWindow(LIMIT, 3600)]);

$flag = temp_folder() . '/over';
$answers = in_processes(WORKERS + 1, function (int $worker) use ($redis, $ids, $new, $many, $flag) {
	if ($worker === WORKERS) {
		/* In turn, one slot after the other; scripts are flushed meanwhile. */
		$at = array_fill_keys(array_keys($ids), 0);
		for ($moves = 0; !file_exists($flag); $moves++) {
			$slot = array_keys($ids)[$moves % SLOTS];
			$next = ($at[$slot] + 1) % 3;
			$redis->move($slot, $redis->nodes[$at[$slot]], $redis->nodes[$next]);
			$redis->nodes[$next]('SCRIPT', 'FLUSH');
			$at[$slot] = $next;
		}
		return $moves;
	}
	$passed = [];
	/* Each worker asks so often that all together ask for more than there is. */
	for ($round = 0; $round < LIMIT * 1.2 / WORKERS * 2; $round++) {
		foreach ($ids as $slot => $id) {
			$passed["known $id"] = ($passed["known $id"] ?? 0) + FrequencyLimit::check('move', $id, 3600, LIMIT)->accepted;
			if ($round % 4 === 0) {
				$fresh = $new($slot, intdiv($round, 8));
				$passed[$fresh] = ($passed[$fresh] ?? 0) + FrequencyLimit::check('new', $fresh, 3600, NEW_LIMIT)->accepted;
			}
		}
		foreach ($many->consumeMany($ids) as $id => $result) {
			$passed["many $id"] = ($passed["many $id"] ?? 0) + $result->accepted;
		}
	}
	touch("$flag.$worker");
	if (count(glob("$flag.*")) === WORKERS) {
		touch($flag);
	}
	return $passed;
});
$moves = array_pop($answers);
between(20, $moves, 1_000_000, 'moves');
$sums = [];
foreach ($answers as $passed) {
	foreach ($passed as $what => $n) {
		$sums[$what] = ($sums[$what] ?? 0) + $n;
	}
}
foreach ($sums as $what => $n) {
	same(str_starts_with($what, '{') ? NEW_LIMIT : LIMIT, $n, "$what passed");
}
between(SLOTS * 3, count($sums), 10000, 'identities');
done();
?>
--EXPECT--
done
