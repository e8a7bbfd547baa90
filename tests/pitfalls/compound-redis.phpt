--TEST--
Known mistakes: several limits charge nothing that one refuses, and the one that refused speaks (redis)
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
echo on_store('redis', [__DIR__ . '/compound.inc'])[1];
--EXPECT--
done
