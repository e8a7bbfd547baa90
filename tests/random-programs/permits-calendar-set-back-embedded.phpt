--TEST--
Random programs: permits of calendars, with a clock set back, match the reference model field by field (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'permitsCalendarSetBack'];
require __DIR__ . '/random.inc';
--EXPECT--
done
