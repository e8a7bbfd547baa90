--TEST--
Every decision is one EVALSHA on the process' only connection
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
$store = test_store('redis');
$redis = $store->server;
FrequencyLimit::doHandle('warm-up', 1, 60, 1);
FrequencyLimit::isActionAllowed(1, 'warm-up', 60, 1);

$count = fn () => [$redis->calls('evalsha'), $redis->calls('eval'), $redis->calls('script|load'), (int) $redis->info('stats')['total_connections_received']];
$before = $count();
for ($i = 1; $i <= 50; $i++) {
	FrequencyLimit::doHandle('trip', $i % 3 + 1, 60, 5, ['type' => 1, 'ttl' => 60]);
	FrequencyLimit::check('trip', 'x', 60, 5);
	FrequencyLimit::isActionAllowed(1, 'trip', 60, 5);
	FrequencyLimit::reset('other', $i);
}
$after = $count();
/* reset() sends one request for each of two counters. */
between(200, $after[0] - $before[0], 250, 'EVALSHA for 200 questions');
same(array_slice($before, 1, 2), array_slice($after, 1, 2), 'EVAL and SCRIPT LOAD');
same($before[3], $after[3], 'new connections');

/* Redis got no other command: neither PING nor SELECT. A script's calls count as commands. */
$sent = [];
foreach ($redis->info('commandstats') as $name => $stats) {
	if (preg_match('/^calls=(\d+)/', $stats, $found)) {
		$sent[substr($name, 8)] = (int) $found[1];
	}
}
same([], array_intersect_key($sent, array_flip(['ping', 'echo', 'select', 'keys', 'scan', 'expire', 'multi', 'watch'])), 'other commands');
done();
?>
--EXPECT--
done
