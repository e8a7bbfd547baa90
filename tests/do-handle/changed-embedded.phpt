--TEST--
A changed number applies to the next call, a changed time to the next window (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/changed.inc';
scenario(test_store('embedded'));
done();
?>
--EXPECT--
done
