--TEST--
Random programs: limits of one algorithm and one period match the reference model field by field (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'twins'];
require __DIR__ . '/random.inc';
--EXPECT--
done
