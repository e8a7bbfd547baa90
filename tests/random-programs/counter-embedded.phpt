--TEST--
Random programs: doHandle, check, isActionAllowed and reset match the reference model field by field (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'counter'];
require __DIR__ . '/random.inc';
--EXPECT--
done
