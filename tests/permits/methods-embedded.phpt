--TEST--
Each end of a permit gives back exactly what it promises; a second end is false (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/methods.inc';
scenario(test_store('embedded'));
done();
?>
--EXPECT--
done
