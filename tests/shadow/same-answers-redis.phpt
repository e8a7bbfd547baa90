--TEST--
A shadow limit changes no answer of the limits beside it, and refuses what it would refuse alone (Redis)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/same-answers.inc';
scenario(test_store('redis'));
done();
?>
--EXPECT--
done
