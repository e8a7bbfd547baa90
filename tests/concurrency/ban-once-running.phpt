--TEST--
Concurrent refusals start a ban once (embedded store, running clock)
--EXTENSIONS--
ratelimit
pcntl
--FILE--
<?php
require __DIR__ . '/ban-once.inc';
scenario(test_store('running'));
done();
?>
--EXPECT--
done
