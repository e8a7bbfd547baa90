--TEST--
Several attributes of a function are one decision, and a Limiter of the action's name shares its count (Redis)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/several.inc';
scenario(test_store('redis'));
done();
?>
--EXPECT--
done
