--TEST--
10 calls a second for each client (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/examples.inc';
test_store('embedded');
api_calls();
done();
?>
--EXPECT--
done
