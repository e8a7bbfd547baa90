--TEST--
5 replies pass a minute; the sixth throws ActionThresholdOverflow
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'redis'); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';
require __DIR__ . '/examples.inc';
each_store('embedded', 'redis');
replies();
done();
?>
--EXPECT--
done
