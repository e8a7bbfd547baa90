--TEST--
The Redis Cluster user of docs/redis.md has every right that the extension needs, and no other
--EXTENSIONS--
ratelimit
--INI--
ratelimit.on_failure=throw
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/redis-user.inc';
require __DIR__ . '/../include/topology.inc';
store_options(retry_delay: 1, deny_cache: 0);

$cluster = new RedisCluster(2);
$words = words_for($cluster->nodes[0], documented_user('nodes of a cluster'));
/* The user is another one for each round, so that no connection is older than its rights. */
$n = 0;
$make = function (array $words) use ($cluster, &$n): void {
	$words[0] = 'limiter' . ++$n;
	foreach ($cluster->nodes as $node) {
		same('OK', $node('ACL', 'SETUSER', ...$words), implode(' ', $words));
		$node('SCRIPT', 'FLUSH');
	}
	use_store($cluster->dsn(login: "$words[0]:secret@"));
};
$ask = function () use ($cluster, &$n) {
	ask_everything("user$n");
	$slot = $cluster->slot("act:limit:moving$n:1");
	$from = $cluster->home($slot);
	$to = $cluster->nodes[$from === $cluster->nodes[0] ? 1 : 0];
	$cluster->begin_move($slot, $from, $to);
	try {
		same('redis', FrequencyLimit::check("moving$n", 1, 60, 10)->store, 'a new identity while its slot moves');
	} finally {
		foreach ([$from, $to] as $node) {
			$node('CLUSTER', 'SETSLOT', $slot, 'STABLE');
		}
	}
};
each_is_needed(array_values(array_diff($words, silently_denied($cluster->nodes[0]))), $make, $ask);
refused_rights(...$cluster->nodes);
$make($words);
$ask();
same([], refused_rights(...$cluster->nodes), 'nothing is refused');
done();
?>
--EXPECT--
done
