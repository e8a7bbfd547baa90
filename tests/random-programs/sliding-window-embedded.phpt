--TEST--
Random programs: sliding windows match the reference model field by field (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'slidingWindow'];
require __DIR__ . '/random.inc';
--EXPECT--
done
