--TEST--
With Redis as the store, the ban of a network holds on this machine, is listed and lifted as any other
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/ban-network.inc';
ini_set('ratelimit.store', test_store('redis')->server->dsn());
network_scenario();
done();
?>
--EXPECT--
done
