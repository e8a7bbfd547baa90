--TEST--
UploadController: two uploads of a user run at the same time, a third is refused (Redis)
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
uploads_at_once();
done();
?>
--EXPECT--
done
