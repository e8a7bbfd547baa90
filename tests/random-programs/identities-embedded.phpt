--TEST--
Random programs: limits with identities of their own match the reference model field by field (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'identities'];
require __DIR__ . '/random.inc';
--EXPECT--
done
