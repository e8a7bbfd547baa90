--TEST--
The 11th like in 10 seconds starts a ban of one hour, once (Redis)
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
