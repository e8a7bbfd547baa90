--TEST--
A Redis that became a replica decides nothing
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
same(2, FrequencyLimit::check('role', 'x', 60, 3)->remaining, 'while it is the master');
/* Replicas find their master by address: this one never will, which is as well. */
$redis('REPLICAOF', '127.0.0.1', '1');
for ($i = 0; $i < 2; $i++) {
	pause(0.003); /* past retry_delay */
	throws(FrequencyLimit\StoreException::class, [], fn () => FrequencyLimit::check('role', 'x', 60, 3), 'on a demoted master');
}
$redis('REPLICAOF', 'NO', 'ONE');
pause(0.003);
same(1, FrequencyLimit::check('role', 'x', 60, 3)->remaining, 'when it is the master again');
done();
?>
--EXPECT--
done
