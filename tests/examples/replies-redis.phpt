--TEST--
5 replies pass a minute; the sixth throws ActionThresholdOverflow (Redis)
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
