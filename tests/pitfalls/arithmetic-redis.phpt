--TEST--
Known mistakes: no call too many or too few by rounding, decay or refill (redis)
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
echo on_store('redis', [__DIR__ . '/arithmetic.inc'])[1];
--EXPECT--
done
