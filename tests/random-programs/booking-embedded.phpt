--TEST--
Random programs: bookings are answered field by field as the reference model does (embedded)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'booking'];
require __DIR__ . '/random.inc';
--EXPECT--
done
