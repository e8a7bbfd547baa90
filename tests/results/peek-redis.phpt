--TEST--
peek() answers like check(), and changes nothing (Redis)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/peek.inc';
scenario(test_store('redis'));
done();
?>
--EXPECT--
done
