--TEST--
A changed number applies to the next call, a changed time to the next window (Redis)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/changed.inc';
scenario(test_store('redis'));
done();
?>
--EXPECT--
done
