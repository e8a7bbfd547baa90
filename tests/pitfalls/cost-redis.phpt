--TEST--
Known mistakes: a refusal charges nothing, a credit respects the limit, peek() matches consume() (Redis)
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
echo on_store('redis', [__DIR__ . '/cost.inc'])[1];
--EXPECT--
done
