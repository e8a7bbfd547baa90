--TEST--
A shadow limit names the searches that it would refuse, and refuses none (Redis)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/searches.inc';
test_store('redis');
searches_scenario();
done();
?>
--EXPECT--
done
