--TEST--
Going past 10 likes in 10 seconds bans for an hour, once (Redis)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/like.inc';
scenario(test_store('redis'));
done();
?>
--EXPECT--
done
