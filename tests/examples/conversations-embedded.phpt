--TEST--
Conversations: 10 new ones pass in an hour of the clock; the refusal names the hour (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/examples.inc';
$store = test_store('embedded');
conversations($store);
done();
?>
--EXPECT--
done
