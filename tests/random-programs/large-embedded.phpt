--TEST--
Random programs: limits, costs and counts up to 10^12 match the reference model field by field (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'large'];
require __DIR__ . '/random.inc';
--EXPECT--
done
