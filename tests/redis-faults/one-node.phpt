--TEST--
A dead cluster node costs only its own identities their Redis
--EXTENSIONS--
ratelimit
--INI--
ratelimit.on_failure=local
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
require __DIR__ . '/../include/topology.inc';
store_options(retry_delay: 600000, deny_cache: 0);

$cluster = new RedisCluster(3, 0, ['--cluster-require-full-coverage', 'no']);
use_store($cluster->dsn());
ini_set('error_log', temp_folder() . '/log');
/* An identity of each node's. */
$ids = [];
for ($id = 1; count($ids) < 3; $id++) {
	$ids[array_search($cluster->home($cluster->slot("act:limit:node:$id")), $cluster->nodes, true)] ??= $id;
}
$store = fn (int $node) => FrequencyLimit::check('node', $ids[$node], 3600, 100000)->store;
same(['redis', 'redis', 'redis'], array_map($store, [0, 1, 2]), 'before');

$cluster->nodes[0]->stop();
for ($i = 0; $i < 20; $i++) {
	same(['local', 'redis', 'redis'], array_map($store, [0, 1, 2]), "round $i");
}
$states = array_column(FrequencyLimit\Monitor::stats()['servers'], 'state', 'server');
same(1, count(array_keys($states, 'open', true)), 'one of them is left alone: ' . json_encode($states));
same(1, preg_match_all('/: node 127\.0\.0\.1:' . $cluster->nodes[0]->port . ' is away/', file_get_contents(ini_get('error_log'))), 'and the log says which');

/* Several at once: each has the result of its own node. */
$many = new FrequencyLimit\Limiter('many', FrequencyLimit\Limit::fixedWindow(1000, 3600));
$stores = fn (array $of) => array_map(fn ($r) => $r->store, $many->consumeMany($of));
$away = array_map(fn ($i) => $many->consume($i)->store, range(1, 60));
between(5, count(array_keys($away, 'local', true)), 40, 'identities of the dead node');
same($away, $stores(range(1, 60)), 'many, while one node is known to be away');
ini_set('ratelimit.on_failure', 'throw');
throws(FrequencyLimit\StoreException::class, ['127.0.0.1:' . $cluster->nodes[0]->port, 'away since'], fn () => $stores(range(1, 60)), 'many, and a policy that throws');
ini_set('ratelimit.on_failure', 'local');

/* So does a worker that had no map of the cluster when it met the dead node. */
[, $said] = run_php('foreach ($argv as $i => $id) { if ($i) echo FrequencyLimit::check("node", $id, 3600, 100000)->store, "\n"; }', ['ratelimit.store' =>
	$cluster->dsn(nodes: [$cluster->nodes[1], $cluster->nodes[0]]), 'ratelimit.on_failure' => 'local',
	'error_log' => '/dev/null'], arguments: array_map('strval', [$ids[0], $ids[1], $ids[0], $ids[2]]));
same("local\nredis\nlocal\nredis\n", $said, 'a worker that has just begun');

/* One that is silent costs its timeout once, and the others nothing. */
$silent = new RedisCluster(3, 0, ['--cluster-require-full-coverage', 'no', '--cluster-node-timeout', '60000']);
use_store($silent->dsn());
same(['redis', 'redis', 'redis'], array_map($store, [0, 1, 2]), 'before the silence');
$silent->nodes[0]->signal(19);
store_options(timeout: 2000, connect_timeout: 2000);
for ($i = 0; $i < 20; $i++) {
	same(['local', 'redis', 'redis'], array_map($store, [0, 1, 2]), "silent, round $i");
}
$silent->nodes[0]->signal(18);
done();
?>
--EXPECT--
done
