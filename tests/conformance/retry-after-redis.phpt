--TEST--
After retryAfter the same call passes, and a step of the clock earlier it does not, every algorithm (redis)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/tools.inc';
require __DIR__ . '/../include/redis.inc';
needs_redis();
needs_tool('simclock.so');
?>
--FILE--
<?php
require __DIR__ . '/../model/run.inc';
echo on_store('redis', [__DIR__ . '/retry-after.inc'])[1];
--EXPECT--
done
