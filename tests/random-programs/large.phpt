--TEST--
Random programs: limits, costs and counts up to 10^12 match the reference model field by field
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'stopped redis'); ?>
--FILE--
<?php
$kind = 'large';
require __DIR__ . '/random.inc';
--EXPECT--
done
