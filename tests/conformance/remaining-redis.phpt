--TEST--
remaining is right, for a token bucket with every rate from 1 to 1000 in 1, 60 and 3600 seconds, every algorithm (redis)
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
echo on_store('redis', [__DIR__ . '/remaining.inc'])[1];
--EXPECT--
done
