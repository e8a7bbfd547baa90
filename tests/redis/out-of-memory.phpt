--TEST--
A Redis without memory still refuses; on_failure decides the rest, and no write is partial
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
store_options(retry_delay: 1);
$full = fn () => FrequencyLimit::check('full', 'x', 3600, 2);
$full();
$full();
FrequencyLimit::isActionAllowed('x', 'log', 3600, 1);
FrequencyLimit::doHandle('room', 1, 3600, 5);
same([], array_filter([$redis('CONFIG', 'SET', 'maxmemory', '1'), $redis('CONFIG', 'SET', 'maxmemory-policy', 'noeviction')], fn ($reply) => $reply !== 'OK'), 'maxmemory');

$r = $full();
same([false, FrequencyLimit\Reason::Limited, 'redis'], [$r->accepted, $r->reason, $r->store], 'a refusal needs no memory');
same(false, FrequencyLimit::isActionAllowed('x', 'log', 3600, 1), 'neither does one of a log');
throws(FrequencyLimit\StoreException::class, ['OOM'], fn () => FrequencyLimit::doHandle('room', 1, 3600, 5), 'an admission does');
throws(FrequencyLimit\StoreException::class, ['OOM'], fn () => FrequencyLimit::doHandle('new', 1, 3600, 5), 'a new identity does');
throws(FrequencyLimit\StoreException::class, ['OOM'], fn () => FrequencyLimit::isActionAllowed('y', 'log', 3600, 1), 'and a log');
same('1', $redis('GET', 'act:limit:room:1'), 'nothing was counted');
same(null, $redis('GET', 'act:limit:new:1'), 'nothing was made');

/* The connection stays open: a full server needs no new handshakes. */
$connections = fn (): int => (int) $redis->info('stats')['total_connections_received'];
foreach (['one' => fn () => FrequencyLimit::doHandle('new', 1, 3600, 5), 'several' => fn () => FrequencyLimit::isActionAllowed('y', 'log', 3600, 1)] as $what => $refused) {
	$before = $connections();
	$one = $connections() - $before; // that the question itself takes
	for ($i = 0; $i < 10; $i++) {
		throws(FrequencyLimit\StoreException::class, ['OOM'], $refused, $what);
	}
	same($one, $connections() - $before - $one, "$what: connections");
}
ini_set('ratelimit.on_failure', 'local');
same('local', FrequencyLimit::check('room', 1, 3600, 5)->store, 'the policy answers');
ini_set('ratelimit.on_failure', 'throw');
$redis('CONFIG', 'SET', 'maxmemory', '0');
same(true, FrequencyLimit::doHandle('room', 1, 3600, 5), 'and when there is room again, all is well');
same('3', $redis('GET', 'act:limit:room:1'), 'with the count of before, and what the policy has admitted');
done();
?>
--EXPECT--
done
