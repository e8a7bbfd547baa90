--TEST--
isActionAllowed() counts every admitted call, however close, and no refused one (Redis)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/traces.inc';
scenario(test_store('redis'));
done();
?>
--EXPECT--
done
