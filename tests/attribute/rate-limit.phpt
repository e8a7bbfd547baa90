--TEST--
#[RateLimit] limits a function by limiters of the file and of the application, all attributes in one decision
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'redis'); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';
require __DIR__ . '/rate-limit.inc';
scenario(each_store('embedded', 'redis'));
done();
?>
--EXPECT--
done
