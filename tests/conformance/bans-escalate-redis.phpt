--TEST--
ban() with a list: the n-th ban lasts the n-th time, and they begin anew when forgotten (Redis)
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
echo on_store('redis', [__DIR__ . '/bans-escalate.inc'])[1];
--EXPECT--
done
