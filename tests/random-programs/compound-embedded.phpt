--TEST--
Random programs: several limits of all algorithms answer field by field as the reference model does (embedded)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'compound'];
require __DIR__ . '/random.inc';
--EXPECT--
done
