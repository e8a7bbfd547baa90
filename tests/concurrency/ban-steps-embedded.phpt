--TEST--
Concurrent refusals start one ban, and it escalates by exactly one step (embedded store)
--EXTENSIONS--
ratelimit
pcntl
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/ban-steps.inc';
scenario(test_store('embedded'));
done();
?>
--EXPECT--
done
