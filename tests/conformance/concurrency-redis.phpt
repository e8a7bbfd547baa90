--TEST--
Concurrent processes are admitted exactly the limit by every algorithm (Redis)
--EXTENSIONS--
ratelimit
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../include/simclock.inc';
needs_stopped_redis();
needs_tool('simclock.so');
?>
--FILE--
<?php
require __DIR__ . '/../model/run.inc';
echo on_store('redis', [__DIR__ . '/concurrency.inc'])[1];
--EXPECT--
done
