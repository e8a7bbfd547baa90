--TEST--
5 replies a minute, the sixth is an ActionThresholdOverflow (Redis)
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
replies();
done();
?>
--EXPECT--
done
