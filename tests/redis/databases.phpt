--TEST--
Two databases of one Redis are two stores, each with a connection of its own
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
foreach ([0, 1, 2] as $db) {
	use_store($redis->dsn("?db=$db"));
	same([true, false], [FrequencyLimit::doHandle('db', 1, 60, 1), FrequencyLimit::doHandle('db', 1, 60, 1)], "database $db");
}
foreach ([2, 0, 1] as $db) {
	use_store($redis->dsn("?db=$db"));
	same(false, FrequencyLimit::doHandle('db', 1, 60, 1), "database $db again");
	$redis('SELECT', $db);
	same(['act:limit:db:1'], $redis('KEYS', '*'), "its keys");
}
use_store('shm:');
same(true, FrequencyLimit::doHandle('db', 1, 60, 1), 'the embedded store is another one');
same('shm', FrequencyLimit::check('db', 1, 60, 1)->store, 'and says so');
done();
?>
--EXPECT--
done
