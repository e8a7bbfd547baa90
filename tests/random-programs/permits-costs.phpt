--TEST--
Random programs: permits with a cost for each limit match the reference model field by field
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'stopped redis'); ?>
--FILE--
<?php
$kind = 'permitsCosts';
require __DIR__ . '/random.inc';
--EXPECT--
done
