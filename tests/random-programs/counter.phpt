--TEST--
Random programs: doHandle, check, isActionAllowed and reset match the reference model field by field
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'stopped redis'); ?>
--FILE--
<?php
$kind = 'counter';
require __DIR__ . '/random.inc';
--EXPECT--
done
