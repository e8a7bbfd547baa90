--TEST--
A NOSCRIPT reply makes the client send the script, and nothing is counted twice
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
$store = test_store('redis');
$redis = $store->server;
for ($i = 9; $i >= 0; $i--) {
	$redis('SCRIPT', 'FLUSH');
	same($i, FrequencyLimit::check('flush', 'x', 60, 10)->remaining, 'check after SCRIPT FLUSH');
	$redis('SCRIPT', 'FLUSH');
	same(true, FrequencyLimit::isActionAllowed('x', 'flush', 60, 10), 'isActionAllowed after SCRIPT FLUSH');
}
$redis('SCRIPT', 'FLUSH');
same(false, FrequencyLimit::check('flush', 'x', 60, 10)->accepted, 'the eleventh');
same(false, FrequencyLimit::isActionAllowed('x', 'flush', 60, 10), 'the eleventh');
same(true, FrequencyLimit::reset('flush', 'x'), 'reset');
done();
?>
--EXPECT--
done
