--TEST--
MailQueue: a domain gets five mails at once, then one every two seconds (Redis)
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
mails();
done();
?>
--EXPECT--
done
