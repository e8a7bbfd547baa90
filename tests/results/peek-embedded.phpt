--TEST--
peek() answers like check(), and changes nothing (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/peek.inc';
scenario(test_store('embedded'));
done();
?>
--EXPECT--
done
