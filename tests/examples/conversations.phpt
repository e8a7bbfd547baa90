--TEST--
Conversations: 10 new ones pass in an hour of the clock; the refusal names the hour
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'redis'); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';
require __DIR__ . '/examples.inc';
conversations(each_store('embedded', 'redis'));
done();
?>
--EXPECT--
done
