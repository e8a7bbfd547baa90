--TEST--
The 11th like in 10 seconds starts a ban of one hour, once (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/like.inc';
scenario(test_store('embedded'));
done();
?>
--EXPECT--
done
