--TEST--
isActionAllowed() changes nothing in Redis when it refuses
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
$redis = test_store('redis')->server;
for ($i = 0; $i < 5; $i++) {
	same(true, FrequencyLimit::isActionAllowed('x', 'trace', 600, 5), "call $i");
}
[$key] = $redis('KEYS', '*');
$before = $redis('GET', $key);
$left = $redis('PTTL', $key);
$writes = $redis->calls('set');
for ($i = 0; $i < 50; $i++) {
	same(false, FrequencyLimit::isActionAllowed('x', 'trace', 600, 5), 'refused');
}
same($before, $redis('GET', $key), 'the state');
ok($redis('PTTL', $key) <= $left, 'its expiry');
same($writes, $redis->calls('set'), 'writes');
ok(strlen($before) < 5 * 16 + 64, 'and it is small: ' . strlen($before) . ' bytes for five moments');
done();
?>
--EXPECT--
done
