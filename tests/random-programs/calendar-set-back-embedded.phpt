--TEST--
Random programs: calendar windows answer as the reference model, field by field, with a clock set back (embedded)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'calendarSetBack'];
require __DIR__ . '/random.inc';
--EXPECT--
done
