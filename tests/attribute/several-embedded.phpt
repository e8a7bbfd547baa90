--TEST--
Several attributes of a function are one decision, and a Limiter of the action's name shares its count (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/several.inc';
scenario(test_store('embedded'));
windows(test_store('embedded'));
done();
?>
--EXPECT--
done
