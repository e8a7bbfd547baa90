--TEST--
Illegal arguments throw an Exception that begins with 非法参数, and count nothing (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/illegal.inc';
scenario(test_store('embedded'));
done();
?>
--EXPECT--
done
