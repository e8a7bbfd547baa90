--TEST--
Concurrent refusals start one ban, and it escalates by exactly one step (Redis)
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
require __DIR__ . '/ban-steps.inc';
scenario(test_store('redis'));
done();
?>
--EXPECT--
done
