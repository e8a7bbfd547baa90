--TEST--
After retryAfter the same call passes, one clock step earlier it does not, for every algorithm (Redis)
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
echo on_store('redis', [__DIR__ . '/retry-after.inc'])[1];
--EXPECT--
done
