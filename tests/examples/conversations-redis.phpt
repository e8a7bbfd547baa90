--TEST--
Conversations: 10 new ones pass in an hour of the clock; the refusal names the hour (Redis)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/examples.inc';
$store = test_store('redis');
conversations($store);
done();
?>
--EXPECT--
done
