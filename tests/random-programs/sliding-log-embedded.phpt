--TEST--
Random programs: sliding logs match the reference model field by field (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'slidingLog'];
require __DIR__ . '/random.inc';
--EXPECT--
done
