--TEST--
reset() forgets an identity's counts and bans for one action, and tells whether there were any (embedded store)
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
