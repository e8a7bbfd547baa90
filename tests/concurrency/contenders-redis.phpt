--TEST--
200 concurrent calls on one key: exactly the limit passes, no call gets an error (Redis)
--EXTENSIONS--
ratelimit
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
$store = test_store('redis');
$sum = array_sum(in_processes(200, fn () => (int) FrequencyLimit::doHandle('contenders', 1, 600, 57)));
same(57, $sum, 'admitted');
same('57', ($store->server)('GET', 'act:limit:contenders:1'), 'counted');
done();
?>
--EXPECT--
done
