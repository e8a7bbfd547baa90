--TEST--
Known mistakes: rounding, decay and refill never admit one call too many or too few (Redis)
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
echo on_store('redis', [__DIR__ . '/arithmetic.inc'])[1];
--EXPECT--
done
