--TEST--
A deploy in the middle of a window keeps what was counted, and every retryAfter that was given, every algorithm (redis)
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
echo on_store('redis', [__DIR__ . '/deploys.inc'])[1];
--EXPECT--
done
