--TEST--
Illegal arguments throw an Exception that begins with 非法参数, and count nothing (Redis)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/illegal.inc';
scenario(test_store('redis'));
done();
?>
--EXPECT--
done
