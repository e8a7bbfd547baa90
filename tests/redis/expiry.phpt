--TEST--
Every key has an expiry, and a counter's is its window's end
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
$expiries = function (string $what) use ($redis) {
	foreach ($redis('KEYS', '*') as $key) {
		ok($redis('PTTL', $key) !== -1, "$key after $what");
	}
};
foreach ([1, 60, 86400, 315360000] as $time) {
	for ($i = 0; $i < 4; $i++) {
		FrequencyLimit::doHandle("t$time", 1, $time, 2, ['type' => 1, 'ttl' => 100]);
		$expiries("call $i of $time s");
		FrequencyLimit::check('c', "id$time", $time, 2);
		FrequencyLimit::isActionAllowed(1, "l$time", $time, 2);
		$expiries("call $i of $time s");
	}
}
foreach ([30, 600] as $time) {
	FrequencyLimit::doHandle("end$time", 1, $time, 5);
	between($time * 1000 - 5000, $redis('PTTL', "act:limit:end$time:1"), $time * 1000 + 1, "the counter of $time s");
	$left = $redis('PTTL', "act:limit:end$time:1");
	FrequencyLimit::doHandle("end$time", 1, $time, 5);
	ok($redis('PTTL', "act:limit:end$time:1") <= $left, 'a second call does not move it');
	for ($i = 0; $i < 10; $i++) {
		FrequencyLimit::doHandle("end$time", 1, $time, 5);
	}
	ok($redis('PTTL', "act:limit:end$time:1") <= $left, 'nor does a refused one');
	FrequencyLimit::doHandle("end$time", 1, $time, 5, ['type' => 1, 'ttl' => 7]);
	between(2000, $redis('PTTL', "act:limit:end$time:1"), 7001, 'a ban does, once');
}
done();
?>
--EXPECT--
done
