--TEST--
An int and its digits are one identity; no two other pairs share a state (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/identities.inc';
scenario(test_store('embedded'));
done();
?>
--EXPECT--
done
