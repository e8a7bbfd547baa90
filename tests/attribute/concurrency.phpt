--TEST--
A call of a function with #[ConcurrencyLimit] holds a place while the function runs
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'redis'); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';
require __DIR__ . '/concurrency.inc';
each_store('embedded', 'redis');
scenario();
done();
?>
--EXPECT--
done
