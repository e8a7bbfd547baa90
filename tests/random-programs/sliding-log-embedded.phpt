--TEST--
Random programs: sliding logs answer field by field as the reference model does (embedded)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'slidingLog'];
require __DIR__ . '/random.inc';
--EXPECT--
done
