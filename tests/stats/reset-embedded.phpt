--TEST--
reset() deletes an identity's counts and bans of one action, and returns true for any (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/reset.inc';
scenario(test_store('embedded'));
done();
?>
--EXPECT--
done
