--TEST--
Eight concurrent workers are admitted exactly as often as the limit allows (Redis)
--EXTENSIONS--
ratelimit
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/exactly.inc';
scenario(test_store('redis'));
done();
?>
--EXPECT--
done
