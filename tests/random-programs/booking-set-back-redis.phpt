--TEST--
Random programs: bookings are answered field by field as the reference model does where the clock is set back (redis)
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
[$store, $kind] = ['redis', 'bookingSetBack'];
require __DIR__ . '/random.inc';
--EXPECT--
done
