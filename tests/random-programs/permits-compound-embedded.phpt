--TEST--
Random programs: permits of several limits match the reference model field by field (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'permitsCompound'];
require __DIR__ . '/random.inc';
--EXPECT--
done
