--TEST--
Random programs: calendar windows match the reference model with a wall clock set back (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'calendarSetBack'];
require __DIR__ . '/random.inc';
--EXPECT--
done
