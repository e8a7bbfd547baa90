--TEST--
A ban of an action by hand, its end and unban(); a look at isActionAllowed() (Redis)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/ban.inc';
scenario(test_store('redis'));
done();
?>
--EXPECT--
done
