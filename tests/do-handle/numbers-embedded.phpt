--TEST--
doHandle() admits exactly the number, for windows and numbers of every size (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/numbers.inc';
scenario(test_store('embedded'));
done();
?>
--EXPECT--
done
