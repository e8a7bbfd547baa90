--TEST--
TCP gives the same answers as a unix socket, and a changed timeout applies to an open connection
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
require __DIR__ . '/../include/topology.inc';
$redis = new RedisNode();
use_store("redis://127.0.0.1:$redis->port");
store_options(retry_delay: 1);
ini_set('ratelimit.on_failure', 'deny');
$connections = fn () => (int) $redis->info('stats')['total_connections_received'];
$is_answered = fn (string $id) => FrequencyLimit::check('tcp', $id, 3600, 10)->reason->value === 'accepted';

$many = new FrequencyLimit\Limiter('tcp', FrequencyLimit\Limit::fixedWindow(2, 3600));
store_options(timeout: 60000);
same([true, true, false], array_map(fn () => FrequencyLimit::doHandle('tcp', 1, 3600, 2), range(1, 3)), 'one after the other');
same([true, true, false, true], array_map(fn ($r) => $r->accepted, $many->consumeMany([1, 1, 1, 2])), 'many at once');

/* A shorter one: the connection has been asked with a minute. */
$redis->signal(19);
store_options(timeout: 60);
$start = stopwatch();
same(false, $is_answered('stopped'), 'nobody answers');
between(0.06, stopwatch() - $start, 20.0, 'seconds of 60 ms');
$redis->signal(18);

/* The late reply reached no call. */
store_options(timeout: 20000);
ok(eventually(fn () => $is_answered('back')), 'it is back');
for ($i = 0; $i < 10; $i++) {
	same(99, FrequencyLimit::check("late $i", 'x', 3600, 100)->remaining, 'a fresh identity');
}

/* A longer one: the connection has been asked with half a second. */
store_options(timeout: 500);
ok(eventually(fn () => $is_answered('impatient')), 'it is there');
$before = $connections();
store_options(timeout: 60000);
$redis('CLIENT', 'PAUSE', '1000');
$start = stopwatch();
ok($is_answered('patient'), 'it is waited for');
between(0.5, stopwatch() - $start, 30.0, 'seconds of a pause');
same($before, $connections(), 'on the same connection');
done();
?>
--EXPECT--
done
