--TEST--
Random programs: bookings match the reference model field by field (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'booking'];
require __DIR__ . '/random.inc';
--EXPECT--
done
