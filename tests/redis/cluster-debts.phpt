--TEST--
A node of a cluster that pauses is told what has passed meanwhile, also of limits whose identities are on several nodes
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/topology.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/topology.inc';
store_options(connect_timeout: 400, timeout: 400, retry_delay: 100, deny_cache: 0);
use FrequencyLimit\{Limit, Limiter, Monitor};

$redis = new RedisCluster(3, 0, node_timeout_ms: 60000);
ini_set('ratelimit.store', $redis->dsn());
/* A user on each node. */
$users = [];
for ($id = 1; count($users) < 3; $id++) {
	$users[array_search($redis->home($redis->slot("act:limit:debts:$id")), $redis->nodes, true)] ??= $id;
}
ksort($users);
$passed = [0, 0, 0];
$stores = [];
$round = function (int $n) use ($users, &$passed, &$stores): void {
	$stores = [];
	for ($i = 0; $i < $n; $i++) {
		foreach ($users as $node => $id) {
			$r = FrequencyLimit::check('debts', $id, 3600, 30);
			$stores[$node][$r->store] = true;
			$passed[$node] += $r->accepted;
		}
	}
};
/* The label "user" of each is on some node, and so is that of all: of two nodes one pauses. */
$by = new Limiter('by', ['user' => Limit::fixedWindow(30, 3600)->by('user'), 'all' => Limit::fixedWindow(1000, 3600)->by('all')]);
$of_all = 0;
$ask = function (int $n) use ($by, &$of_all): array {
	$from = [];
	for ($i = 0; $i < $n; $i++) {
		foreach (range(1, 6) as $user) {
			$r = $by->consume(['user' => $user, 'all' => 'all']);
			$from[$r->store] = true;
			$of_all += $r->accepted;
		}
	}
	return $from;
};
$round(10);
same([['redis' => true], ['redis' => true], ['redis' => true]], $stores, 'all nodes decide');
same(['redis' => true], $ask(2), 'labels: all nodes decide');

$redis->nodes[0]->signal(19);
/* Peeks meet the silent node, so that no call is sent and lost. */
ok(eventually(function () use ($users) {
	FrequencyLimit::peek('debts', $users[0], 3600, 30);
	return in_array('open', array_column(Monitor::stats()['servers'], 'state'), true);
}), 'the circuit breaker of the node opens');
$round(8);
$from = $ask(2);
same(['local' => true], $stores[0], 'one node is silent');
ok(isset($stores[1]['redis'], $stores[2]['redis']), 'the others decide');
ok(isset($from['local'], $from['redis']), 'labels: some are on the silent node');
$redis->nodes[0]->signal(18);
ok(eventually(fn () => FrequencyLimit::peek('debts', $users[0], 3600, 30)->store === 'redis', 20.0), 'it decides again');
$round(20);
same([['redis' => true], ['redis' => true], ['redis' => true]], $stores, 'all nodes decide again');
same(['redis' => true], $ask(1), 'labels: all nodes decide again');
$stats = Monitor::stats();
/* A call without a reply passes, and may have counted: a probe, or one for which a busy machine took too long. */
$errors = $stats['redis_errors'];
foreach ($passed as $node => $n) {
	between(30 - $errors, $n, 30 + $errors, "node $node: passed, of 30; $errors requests without a reply");
}
$all = new Limiter('by', ['all' => Limit::fixedWindow(1000, 3600)->by('all')]);
between(1000 - $of_all - $errors, $all->peek(['all' => 'all'])->remaining + 1, 1000 - $of_all + $errors + 1, 'of all, told by the calls of each user');
same($stats['permits_owed'], $stats['permits_told'] + $stats['permits_lost'], 'each debt is told, or lost');
done();
?>
--EXPECT--
done
