--TEST--
Random programs: sliding windows answer field by field as the reference model does (embedded)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'slidingWindow'];
require __DIR__ . '/random.inc';
--EXPECT--
done
