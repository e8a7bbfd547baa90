--TEST--
Concurrent refusals start a ban once (embedded store)
--EXTENSIONS--
ratelimit
pcntl
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/ban-once.inc';
scenario(test_store('embedded'));
done();
?>
--EXPECT--
done
