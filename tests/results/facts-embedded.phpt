--TEST--
A Result tells exactly what was decided (embedded store)
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
