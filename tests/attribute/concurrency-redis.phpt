--TEST--
A call of a function with #[ConcurrencyLimit] holds a place while the function runs (Redis)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/concurrency.inc';
test_store('redis');
scenario();
done();
?>
--EXPECT--
done
