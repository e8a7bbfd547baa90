--TEST--
Random programs: doHandle, check, isActionAllowed and reset answer field by field as the reference model does (embedded)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'counter'];
require __DIR__ . '/random.inc';
--EXPECT--
done
