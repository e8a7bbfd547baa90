--TEST--
Random programs: permits of large numbers match the reference model field by field (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'permitsLarge'];
require __DIR__ . '/random.inc';
--EXPECT--
done
