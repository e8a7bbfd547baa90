--TEST--
100 pages a minute, by a counter and by a log (embedded store)
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
