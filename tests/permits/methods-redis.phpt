--TEST--
Each end of a permit gives back exactly what it promises; a second end is false (Redis)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/methods.inc';
scenario(test_store('redis'));
done();
?>
--EXPECT--
done
