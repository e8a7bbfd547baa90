--TEST--
Concurrent refusals start one ban, and it escalates by exactly one step (embedded store, running clock)
--EXTENSIONS--
ratelimit
pcntl
--FILE--
<?php
require __DIR__ . '/ban-steps.inc';
scenario(test_store('running'));
done();
?>
--EXPECT--
done
