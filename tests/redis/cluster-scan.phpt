--TEST--
FrequencyLimit\Monitor::scan() visits every master of a cluster once; bin/ratelimit bans lists the bans of all of them
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/topology.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../command/command.inc';
require __DIR__ . '/../include/topology.inc';

$redis = new RedisCluster(3, 0);
store_options(timeout: 20000);
ini_set('ratelimit.store', $redis->dsn());
for ($id = 1; $id <= 30; $id++) {
	FrequencyLimit::doHandle('like', $id, 600, 5);
}
foreach ([1, 2, 3, 4] as $id) {
	FrequencyLimit::ban('like', $id, 600 * $id);
}
[$seen, $position, $pages] = [[], '', 0];
do {
	$page = FrequencyLimit\Monitor::scan($position);
	array_push($seen, ...array_column($page['keys'], 'identity'));
	$position = $page['next'];
	$pages++;
} while ($position !== '');
sort($seen);
same([range(1, 30), 3], [$seen, $pages], 'a page of each master');

[$exit, $out, $errors] = ratelimit(['bans', '--json'], ['ratelimit.store' => $redis->dsn(), ]);
same([0, [4, 3, 2, 1], ''], [$exit, array_column(json_decode($out, true) ?? [], 'identity'), $errors], 'the bans, the last to end first');
done();
?>
--EXPECT--
done
