--TEST--
LoginController: five wrong passwords lock a user, right ones cost nothing
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'redis'); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';
require __DIR__ . '/examples.inc';
each_store('embedded', 'redis');
logins();
done();
?>
--EXPECT--
done
