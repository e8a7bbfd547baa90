--TEST--
Random programs: token buckets match the reference model field by field (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'tokenBucket'];
require __DIR__ . '/random.inc';
--EXPECT--
done
