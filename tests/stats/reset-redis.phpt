--TEST--
reset() deletes an identity's counts and bans of one action, and returns true for any (Redis)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/reset.inc';
scenario(test_store('redis'));
done();
?>
--EXPECT--
done
