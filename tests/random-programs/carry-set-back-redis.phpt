--TEST--
Random programs: a calendar limit with carry() and a clock that is set back match the reference model (Redis)
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
[$store, $kind] = ['redis', 'carrySetBack'];
require __DIR__ . '/random.inc';
--EXPECT--
done
