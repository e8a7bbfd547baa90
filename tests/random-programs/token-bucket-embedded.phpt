--TEST--
Random programs: token buckets answer field by field as the reference model does (embedded)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'tokenBucket'];
require __DIR__ . '/random.inc';
--EXPECT--
done
