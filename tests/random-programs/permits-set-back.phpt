--TEST--
Random programs: permits, with a clock that is set back, match the reference model field by field
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('stopped redis'); ?>
--FILE--
<?php
$stores = ['stopped redis'];
$kind = 'permitsSetBack';
require __DIR__ . '/random.inc';
--EXPECT--
done
