--TEST--
A lost node without a replica costs only its own keys: on_failure decides them until it returns
--EXTENSIONS--
ratelimit
--INI--
ratelimit.on_failure=deny
--SKIPIF--
<?php
require __DIR__ . '/../include/topology.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/topology.inc';
store_options(connect_timeout: 1500, timeout: 1500, retry_delay: 1, deny_cache: 0);

use FrequencyLimit\{Limit, Limiter, Reason};

$redis = new RedisCluster(3, 0, ['--cluster-require-full-coverage', 'no']);
ini_set('ratelimit.store', $redis->dsn());
ini_set('error_log', '/dev/null');
$at = [[], [], []];
for ($id = 1; $id <= 60; $id++) {
	$at[array_search($redis->home($redis->slot("act:limit:many:$id:4l")), $redis->nodes, true)][] = $id;
}
$limiter = new Limiter('many', Limit::fixedWindow(1_000_000, 3600));
/** How many of a node's identities were decided by Redis. */
$decided = function (string $when) use ($limiter, $at): array {
	pause(0.002);
	$start = stopwatch();
	$results = $limiter->consumeMany(range(1, 60));
	between(0, stopwatch() - $start, 5.0, "$when: seconds");
	return array_map(fn ($ids) => count(array_filter($ids, fn ($id) => $results[$id - 1]->reason === Reason::Accepted)), $at);
};
$all = array_map(count(...), $at);
same($all, $decided('at first'), 'all are decided');
same($all, $decided('again'), 'all are decided again');

/* Stopped: connections stay open without a reply. */
$redis->nodes[1]->signal(19);
$expected = [$all[0], 0, $all[2]];
same($expected, $decided('a stopped node'), 'a stopped node');
$redis->nodes[1]->signal(18);
ok(eventually(fn () => $decided('it goes on') === $all), 'it goes on');

/* Dead: the port is closed. */
$redis->nodes[1]->stop();
same($expected, $decided('a dead node'), 'a dead node');
same($expected, $decided('a dead node, again'), 'a dead node, again');
/* The other nodes still decide while the circuit breaker of this one is open. */
store_options(retry_delay: 3000);
$mixed = fn () => array_map(fn ($ids) => $limiter->consume($ids[0])->reason, $at);
for ($i = 0; $i < 3; $i++) {
	same([Reason::Accepted, Reason::StoreUnavailable, Reason::Accepted], $mixed(), "one after the other, $i");
}
store_options(retry_delay: 1);
$redis->nodes[1]->start();
ok(eventually(fn () => $decided('it is back') === $all, 20.0), 'it is back');

/* A slot without a node: the client waits, but not longer than the timeout. */
ini_set('ratelimit.on_failure', 'throw');
$slot = $redis->slot('act:limit:down:1');
$home = $redis->home($slot);
same(9, FrequencyLimit::check('down', 1, 3600, 10)->remaining, 'before');
$home('CLUSTER', 'DELSLOTS', $slot);
$start = stopwatch();
/* The last call may time out. */
throws(FrequencyLimit\StoreException::class, [], fn () => FrequencyLimit::check('down', 1, 3600, 10), 'a slot that nobody serves');
between(0.1, stopwatch() - $start, 5.0, 'seconds that were waited');
$home('CLUSTER', 'ADDSLOTS', $slot);
pause(0.002);
same(8, FrequencyLimit::check('down', 1, 3600, 10)->remaining, 'it is served again');

/* All gone, and nothing known yet: every identity is the policy's, and none an exception. */
foreach ($redis->nodes as $node) {
	$node->stop();
}
ini_set('ratelimit.on_failure', 'deny');
$limiter = new Limiter('many', Limit::fixedWindow(1_000_000, 3600), $redis->dsn(nodes: [$redis->nodes[0], $redis->nodes[2]]));
same(20, count(array_filter($limiter->consumeMany(range(1, 20)), fn ($r) => $r->reason === Reason::StoreUnavailable)), 'all gone');
done();
?>
--EXPECT--
done
