--TEST--
Random programs: limits of one algorithm and one period match the reference model field by field
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'stopped redis'); ?>
--FILE--
<?php
$kind = 'twins';
require __DIR__ . '/random.inc';
--EXPECT--
done
