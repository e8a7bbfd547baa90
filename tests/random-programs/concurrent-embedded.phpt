--TEST--
Random programs: concurrent limits and rates match the reference model field by field (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'concurrent'];
require __DIR__ . '/random.inc';
--EXPECT--
done
