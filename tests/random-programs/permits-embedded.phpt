--TEST--
Random programs: permits of one algorithm match the reference model field by field (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'permits'];
require __DIR__ . '/random.inc';
--EXPECT--
done
