--TEST--
A counter and a sliding log each admit 100 pages a minute
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'redis'); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';
require __DIR__ . '/examples.inc';
each_store('embedded', 'redis');
pages();
done();
?>
--EXPECT--
done
