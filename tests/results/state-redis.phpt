--TEST--
peek() with a cost of 0 answers the state as it is; nextAfter is exact for each algorithm (Redis)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/state.inc';
scenario(test_store('redis'));
done();
?>
--EXPECT--
done
