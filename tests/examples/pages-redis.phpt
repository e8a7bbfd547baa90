--TEST--
A counter and a sliding log each admit 100 pages a minute (Redis)
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
test_store('redis');
pages();
done();
?>
--EXPECT--
done
