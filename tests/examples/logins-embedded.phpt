--TEST--
LoginController: five wrong passwords lock a user, right ones cost nothing (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/examples.inc';
test_store('embedded');
logins();
done();
?>
--EXPECT--
done
