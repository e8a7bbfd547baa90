--TEST--
Scheduled messages: 1 a minute, 5 an hour, 10 a day, in any order and across midnight
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'redis'); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';
require __DIR__ . '/examples.inc';
scheduled_messages(each_store('embedded', 'redis'));
done();
?>
--EXPECT--
done
