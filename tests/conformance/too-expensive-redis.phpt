--TEST--
A cost above the limit is TooExpensive, writes nothing and starts no ban, for every algorithm (Redis)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/simclock.inc';
needs_stopped_redis();
needs_tool('simclock.so');
?>
--FILE--
<?php
require __DIR__ . '/../model/run.inc';
echo on_store('redis', [__DIR__ . '/too-expensive.inc'])[1];
--EXPECT--
done
