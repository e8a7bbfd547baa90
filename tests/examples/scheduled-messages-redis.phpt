--TEST--
Scheduled messages: 1 a minute, 5 an hour, 10 a day, in any order and across midnight (Redis)
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
scheduled_messages($store);
done();
?>
--EXPECT--
done
