--TEST--
Random programs: calendar windows match the reference model with a clock set back (Redis)
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
[$store, $kind] = ['redis', 'calendarSetBack'];
require __DIR__ . '/random.inc';
--EXPECT--
done
