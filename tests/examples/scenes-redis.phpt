--TEST--
The three controllers: 10 comments, 10 likes, 100 uploads, and the articles' messages (Redis)
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
