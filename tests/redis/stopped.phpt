--TEST--
While Redis is stopped on_failure decides; when it continues, Redis decides with its counts
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
ini_set('ratelimit.on_failure', 'local');
same(9, FrequencyLimit::check('stop', 'x', 3600, 10)->remaining, 'before');
$redis->signal(19);
store_options(timeout: 50, connect_timeout: 50);
for ($i = 0; $i < 3; $i++) {
	same('local', FrequencyLimit::check('stop', 'x', 3600, 10)->store, 'while it is stopped');
}
$redis->signal(18);
store_options(timeout: 20000, connect_timeout: 20000);
ok(eventually(fn () => FrequencyLimit::check('probe', 'x', 3600, 1000000)->store === 'redis'), 'Redis decides again');

/* After its continuation it may have counted the requests sent meanwhile: once each, and never more. */
$r = FrequencyLimit::check('stop', 'x', 3600, 10);
same('redis', $r->store, 'it decides');
between(9 - 1 - 3, $r->remaining, 8, 'what is left: every call that was given up counted at most once');

/* And no answer that came late was taken for another question's. */
for ($i = 0; $i < 20; $i++) {
	same(99, FrequencyLimit::check("late$i", 'x', 3600, 100)->remaining, 'a fresh identity');
}
done();
?>
--EXPECT--
done
