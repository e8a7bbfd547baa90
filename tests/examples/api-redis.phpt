--TEST--
ApiGateway: each client passes 10 calls a second (Redis)
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
api_calls();
done();
?>
--EXPECT--
done
