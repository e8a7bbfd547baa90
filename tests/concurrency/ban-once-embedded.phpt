--TEST--
However many are refused at once, a ban begins once (embedded store)
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
