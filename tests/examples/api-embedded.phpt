--TEST--
ApiGateway: each client passes 10 calls a second (embedded store)
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
