--TEST--
A Result has the exact facts of its decision (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/facts.inc';
scenario(test_store('embedded'));
done();
?>
--EXPECT--
done
