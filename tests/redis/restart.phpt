--TEST--
A restart of Redis and a killed connection cause no error
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
same(2, FrequencyLimit::check('restart', 'x', 60, 3)->remaining, 'before');

/* An idle connection that the server closed is noticed before it is used: no policy is asked (here it would throw). */
for ($i = 1; $i >= 0; $i--) {
	$redis('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
	same($i, FrequencyLimit::check('restart', 'x', 60, 3)->remaining, 'after CLIENT KILL');
}
$redis->stop();
$redis->start();
same(2, FrequencyLimit::check('restart', 'x', 60, 3)->remaining, 'a fresh server has a fresh count');
same('redis', FrequencyLimit::check('restart', 'x', 60, 3)->store, 'and decides');
done();
?>
--EXPECT--
done
