--TEST--
Random programs: all algorithms answer field by field as the reference model does where the clock is set back
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('stopped redis'); ?>
--FILE--
<?php
$stores = ['stopped redis'];
$kind = 'setBack';
require __DIR__ . '/random.inc';
--EXPECT--
done
