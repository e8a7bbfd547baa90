--TEST--
The three controllers return the message of an illegal argument (Redis)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/examples.inc';
test_store('redis');
bad_arguments();
done();
?>
--EXPECT--
done
