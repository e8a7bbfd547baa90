--TEST--
Machines that are killed while they take from two limits, in a cluster whose slots move: never one permit too many
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
require __DIR__ . '/labels-machines.inc';

$redis = new RedisCluster(3, 0);
ini_set('ratelimit.store', $redis->dsn());
$moves = temp_folder() . '/moves';
$stop = forked(function () use ($redis, $moves) {
	for (;;) {
		/* The slot of some state, to the next node. */
		$from = mt_rand(0, 2);
		$keys = $redis->nodes[$from]('KEYS', '*');
		if ($keys) {
			$redis->move($redis->slot($keys[array_rand($keys)]), $redis->nodes[$from], $redis->nodes[($from + 1) % 3]);
			file_put_contents($moves, '.', FILE_APPEND);
		}
	}
});
play_machines();
ok(filesize($moves) > 5, filesize($moves) . ' slots moved');
$stop();
done();
?>
--EXPECT--
done
