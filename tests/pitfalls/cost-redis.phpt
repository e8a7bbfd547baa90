--TEST--
Known mistakes: no refused call is charged, no credit goes beyond the limit, peek tells what consume would (redis)
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
echo on_store('redis', [__DIR__ . '/cost.inc'])[1];
--EXPECT--
done
