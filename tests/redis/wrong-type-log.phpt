--TEST--
isActionAllowed(): a key of another type is an error, and stays untouched
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
FrequencyLimit::isActionAllowed(1, 'log', 60, 3);
[$key] = $redis('KEYS', '*');
$whole = $redis('GET', $key);
ok(is_string($whole) && $whole !== '', 'the state is a string');

$planted = [
	'a list' => ['RPUSH', $key, 'a'], 'a hash' => ['HSET', $key, 'a', '1'], 'text' => ['SET', $key, 'hello'], 'a number' => ['SET', $key, '17'],
	'an empty string' => ['SET', $key, ''], 'zeroes' => ['SET', $key, str_repeat("\0", 64)], 'ones' => ['SET', $key, str_repeat("\xff", 64)],
	'longer' => ['SET', $key, "$whole\0"],
];
for ($length = 1; $length < strlen($whole); $length++) {
	$planted["cut to $length"] = ['SET', $key, substr($whole, 0, $length)];
}
foreach ($planted as $what => $command) {
	$redis('DEL', $key);
	$redis(...$command);
	$before = $redis('DUMP', $key);
	throws(FrequencyLimit\StoreException::class, [], fn () => FrequencyLimit::isActionAllowed(1, 'log', 60, 3), $what);
	same($before, $redis('DUMP', $key), "$what is untouched");
}
$redis('DEL', $key);
same(true, FrequencyLimit::isActionAllowed(1, 'log', 60, 3), 'and when it is gone, all is well');
done();
?>
--EXPECT--
done
