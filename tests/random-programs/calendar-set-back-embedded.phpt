--TEST--
Random programs: calendar windows answer field by field as the reference model does where the wall clock is set back (embedded)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'calendarSetBack'];
require __DIR__ . '/random.inc';
--EXPECT--
done
