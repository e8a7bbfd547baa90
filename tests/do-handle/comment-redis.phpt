--TEST--
doHandle() admits exactly 10 comments in 30 seconds from the first, then starts afresh (Redis)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/comment.inc';
scenario(test_store('redis'));
done();
?>
--EXPECT--
done
