--TEST--
Random programs: several limits of all algorithms match the reference model field by field
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'stopped redis'); ?>
--FILE--
<?php
$kind = 'compound';
require __DIR__ . '/random.inc';
--EXPECT--
done
