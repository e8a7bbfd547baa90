--TEST--
reset() forgets an identity's counts and bans for one action, and tells whether there were any (Redis)
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
