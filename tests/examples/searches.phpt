--TEST--
A shadow limit names the searches that it would refuse, and refuses none
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'redis'); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';
require __DIR__ . '/searches.inc';
each_store('embedded', 'redis');
searches_scenario();
done();
?>
--EXPECT--
done
