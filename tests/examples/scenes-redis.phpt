--TEST--
The three controllers admit 10 comments, 10 likes and 100 uploads, and return the articles' messages (Redis)
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
$store = test_store('redis');
three_scenes($store);
done();
?>
--EXPECT--
done
