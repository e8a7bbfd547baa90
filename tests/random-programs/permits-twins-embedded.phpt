--TEST--
Random programs: permits of limits of one algorithm and one period match the reference model field by field (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'permitsTwins'];
require __DIR__ . '/random.inc';
--EXPECT--
done
