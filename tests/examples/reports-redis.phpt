--TEST--
Two reports of a user are made at a time; a place comes free at the end of one, also of one that fails (Redis)
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
reports_scenario();
done();
?>
--EXPECT--
done
