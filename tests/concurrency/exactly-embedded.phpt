--TEST--
Eight concurrent workers are admitted exactly as often as the limit allows (embedded store)
--EXTENSIONS--
ratelimit
pcntl
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/exactly.inc';
scenario(test_store('embedded'));
done();
?>
--EXPECT--
done
