--TEST--
An int and its digits are one identity; no two other pairs share a state (Redis)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/identities.inc';
scenario(test_store('redis'));
done();
?>
--EXPECT--
done
