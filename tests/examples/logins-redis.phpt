--TEST--
LoginController: five wrong passwords lock a user, right ones cost nothing (Redis)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/examples.inc';
test_store('redis');
logins();
done();
?>
--EXPECT--
done
