--TEST--
doHandle() admits exactly the number, for windows and numbers of every size (Redis)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/numbers.inc';
scenario(test_store('redis'));
done();
?>
--EXPECT--
done
