--TEST--
Random programs: a cost for each limit matches the reference model field by field
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'stopped redis'); ?>
--FILE--
<?php
$kind = 'costs';
require __DIR__ . '/random.inc';
--EXPECT--
done
