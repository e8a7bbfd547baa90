--TEST--
Two reports of a user are made at a time; a place comes free at the end of one, also of one that fails
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'redis'); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';
require __DIR__ . '/searches.inc';
each_store('embedded', 'redis');
reports_scenario();
done();
?>
--EXPECT--
done
