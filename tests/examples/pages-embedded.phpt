--TEST--
A counter and a sliding log each admit 100 pages a minute (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/examples.inc';
test_store('embedded');
pages();
done();
?>
--EXPECT--
done
