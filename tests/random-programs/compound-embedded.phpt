--TEST--
Random programs: several limits of all algorithms match the reference model field by field (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'compound'];
require __DIR__ . '/random.inc';
--EXPECT--
done
