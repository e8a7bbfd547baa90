--TEST--
peek() with a cost of 0 answers the state as it is; nextAfter is exact for each algorithm (embedded store)
--EXTENSIONS--
ratelimit

--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/state.inc';
scenario(test_store('embedded'));
done();
?>
--EXPECT--
done
