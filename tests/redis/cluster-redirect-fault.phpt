--TEST--
Redis Cluster: each failing node gets its own fault, not that of the node that it redirects to
--EXTENSIONS--
ratelimit
--INI--
ratelimit.on_failure=local
error_log=/dev/null
--SKIPIF--
<?php
require __DIR__ . '/../include/topology.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/topology.inc';
store_options(retry_delay: 3600000, deny_cache: 0, timeout: 2000);

use FrequencyLimit\{Limit, Limiter};

$redis = new RedisCluster(3, 0, ['--cluster-require-full-coverage', 'no', '--cluster-node-timeout', '60000']);
[$full, $silent, $well] = $redis->nodes;
ini_set('ratelimit.store', $redis->dsn());
$limiter = new Limiter('many', Limit::fixedWindow(2, 3600));
$at = [[], [], []];
for ($id = 1; $id <= 60; $id++) {
	$at[array_search($redis->home($redis->slot("act:limit:many:$id:4l")), $redis->nodes, true)][] = $id;
}
/** Returns the nodes with an open circuit breaker. */
$left_alone = function () use ($redis): array {
	$states = [];
	foreach (FrequencyLimit\Monitor::stats()['servers'] as $server) {
		foreach ($redis->nodes as $n => $node) {
			if (str_contains($server['server'], "node 127.0.0.1:$node->port")) {
				$states[$n] = $server['state'] !== 'closed';
			}
		}
	}
	ksort($states);
	return array_keys(array_filter($states));
};
$limiter->consumeMany(range(1, 60));
$limiter->consumeMany($at[0]);
same([], $left_alone(), 'all are well');

/* One node has no memory, and still refuses; the other is silent. In both orders. */
same('OK', $full('CONFIG', 'SET', 'maxmemory', '1'), 'a full node');
$full('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
$silent->signal(19);
for ($new = 1000; $redis->home($redis->slot("act:limit:many:$new:4l")) !== $full; $new++);
[$refused, $unheard] = [array_slice($at[0], 0, 3), array_slice($at[1], 0, 3)];
foreach ([[...$refused, $new, ...$unheard], [...$unheard, $new, ...$refused]] as $ids) {
	$stores = array_combine($ids, array_map(fn ($result) => $result->store, $limiter->consumeMany($ids)));
	same(['redis', 'redis', 'redis'], array_map(fn ($id) => $stores[$id], $refused), 'the full one refuses');
	same('local', $stores[$new], 'and cannot count a new one');
	same(['local', 'local', 'local'], array_map(fn ($id) => $stores[$id], $unheard), 'the silent one does not');
}
same([1], $left_alone(), 'the silent one alone is left alone');
$silent->signal(18);
$full('CONFIG', 'SET', 'maxmemory', '0');

/* A slot has moved to a node that is dead since; the one that sends on is well. */
$id = $at[2][0];
$dead = $full;
$redis->move($redis->slot("act:limit:many:$id:4l"), $well, $dead);
$dead->stop();
same(['local', 'local'], [$limiter->consume($id)->store, $limiter->consume($id)->store], 'sent on to a dead node');
same([0, 1], $left_alone(), 'which is left alone');
same(['redis', 'redis'], array_map(fn ($id) => $limiter->consume($id)->store, array_slice($at[2], 1, 2)), 'not the one that sent on');
done();
?>
--EXPECT--
done
