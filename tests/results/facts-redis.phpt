--TEST--
A Result has the exact facts of its decision (Redis)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/facts.inc';
scenario(test_store('redis'));
done();
?>
--EXPECT--
done
