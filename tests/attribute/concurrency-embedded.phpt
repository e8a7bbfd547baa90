--TEST--
A call of a function with #[ConcurrencyLimit] holds a place while the function runs (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/concurrency.inc';
test_store('embedded');
scenario();
done();
?>
--EXPECT--
done
