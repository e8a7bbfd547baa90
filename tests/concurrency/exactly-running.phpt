--TEST--
Eight concurrent workers are admitted exactly as often as the limit allows (embedded store, running clock)
--EXTENSIONS--
ratelimit
pcntl
--FILE--
<?php
require __DIR__ . '/exactly.inc';
scenario(test_store('running'));
done();
?>
--EXPECT--
done
