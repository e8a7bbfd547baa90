--TEST--
However many are refused at once, a ban begins once (embedded store, running clock)
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
