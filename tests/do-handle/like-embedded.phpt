--TEST--
Going past 10 likes in 10 seconds bans for an hour, once (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/like.inc';
scenario(test_store('embedded'));
done();
?>
--EXPECT--
done
