--TEST--
Going past 100 uploads a day bans until a moment, which may be before the window's end (Redis)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/upload.inc';
scenario(test_store('redis'));
done();
?>
--EXPECT--
done
