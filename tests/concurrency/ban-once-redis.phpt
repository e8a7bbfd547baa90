--TEST--
Concurrent refusals start a ban once (Redis)
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
require __DIR__ . '/ban-once.inc';
scenario(test_store('redis'));
done();
?>
--EXPECT--
done
