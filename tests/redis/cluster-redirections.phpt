--TEST--
Redis Cluster: MOVED, ASK and NOSCRIPT end in one answer that is counted once
--EXTENSIONS--
ratelimit
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
store_options(connect_timeout: 2000, timeout: 2000);

use FrequencyLimit\{Limit, Limiter};

$redis = new RedisCluster(3);
ini_set('ratelimit.store', $redis->dsn(nodes: [$redis->nodes[1]]));
same($redis->dsn(nodes: [$redis->nodes[1]]), FrequencyLimit\Monitor::stats()['store'], 'stats()');

/* Names with braces, too: the client and the server use the same hash tag. */
$names = ['like', 'a{b}c', '{}', '{x', "{\0}", 'like{7}'];
foreach ($names as $name) {
	for ($id = 0; $id < 40; $id++) {
		same(9, FrequencyLimit::check($name, $id, 3600, 10)->remaining, "$name $id");
		same(9, FrequencyLimit::check($name, "id {{$id}}", 3600, 10)->remaining, "$name {{$id}}");
	}
}
same(2 * 40 * count($names), array_sum(array_map(fn ($node) => $node('DBSIZE'), $redis->nodes)), 'keys');
foreach ($redis->nodes as $i => $node) {
	between(1, $node('DBSIZE'), 400, "keys of node $i");
}

/* No identity chooses its slot. */
$sizes = fn () => array_map(fn ($node) => $node('DBSIZE'), $redis->nodes);
$before = $sizes();
$chosen = new Limiter('chosen', Limit::fixedWindow(7, 3600));
for ($id = 0; $id < 300; $id++) {
	$chosen->consume("{x}$id");
}
foreach ($sizes() as $i => $size) {
	between(50, $size - $before[$i], 200, "keys of node $i whose identities have one hash tag");
}

$limiter = new Limiter('many', [Limit::slidingLog(5, 3600), Limit::fixedWindow(7, 3600)]);
$before = $redis->calls('evalsha') + $redis->calls('eval');
$results = $limiter->consumeMany(range(1, 300));
same(300, count(array_filter($results, fn ($r) => $r->remaining === 4 && $r->store === 'redis')), 'consumeMany() over all nodes');
/* The other requests got NOSCRIPT: all of the first batch to a node. */
between(300, $redis->calls('evalsha') + $redis->calls('eval') - $before, 600, 'scripts run');
$before = $redis->calls('evalsha');
same(300, count(array_filter($limiter->consumeMany(range(1, 300)), fn ($r) => $r->remaining === 3)), 'consumeMany() again');
same(300, $redis->calls('evalsha') - $before, 'once for each');

/* One slot moves, in its three steps; the target has no script at any step. */
$slot = $redis->slot('act:limit:like:7');
$from = $redis->home($slot);
$to = $redis->nodes[$from === $redis->nodes[0] ? 1 : 0];
$take = function (int $left, string $when) use ($to) {
	$to('SCRIPT', 'FLUSH');
	same($left, FrequencyLimit::check('like', 7, 3600, 10)->remaining, $when);
};
$redis->begin_move($slot, $from, $to);
$take(8, 'a move begins, the key is still there');
$redis->move_keys($slot, $from, $to);
$take(7, 'the key is at the other node, which the first one says (ASK)');
$take(6, 'and again');
/* A new identity of the slot: made at the target, where the slot is going. */
$new = null;
for ($id = 1000; $new === null; $id++) {
	$new = $redis->slot("act:limit:like:$id") === $slot ? $id : null;
}
same(9, FrequencyLimit::check('like', $new, 3600, 10)->remaining, 'a new identity while its slot moves');
$redis->end_move($slot, $from, $to);
$take(5, 'the slot is the other node\'s (MOVED)');
$asked = $from->calls('evalsha');
$take(4, 'and from then on that one is asked');
same($asked, $from->calls('evalsha'), 'the old node is not asked any more');
same(8, FrequencyLimit::check('like', $new, 3600, 10)->remaining, 'the new identity');
same(true, FrequencyLimit::reset('like', 7), 'reset()');
same(9, FrequencyLimit::check('like', 7, 3600, 10)->remaining, 'after reset()');

/* A server without cluster mode causes an error with that reason. */
$port = (new RedisNode())->port;
ini_set('ratelimit.store', "redis+cluster://127.0.0.1:$port?connect_timeout=10000&timeout=10000");
throws(FrequencyLimit\StoreException::class, ['cluster support disabled'], fn () => FrequencyLimit::check('x', 1, 60, 1), 'no cluster');
/* And a node of a cluster that is asked as if it were alone. */
ini_set('ratelimit.store', "redis://127.0.0.1:{$from->port}");
throws(FrequencyLimit\StoreException::class, ['MOVED'], fn () => FrequencyLimit::check('like', 7, 3600, 10), 'one node');
done();
?>
--EXPECT--
done
