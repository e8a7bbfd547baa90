--TEST--
The 101st upload of a day starts a ban until a moment, even within the window (Redis)
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
