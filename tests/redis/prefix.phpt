--TEST--
ratelimit.prefix begins every key, and separates applications
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
$use = function () {
	FrequencyLimit::doHandle('a', 1, 60, 1);
	FrequencyLimit::check('a', 'x', 60, 1);
	return FrequencyLimit::isActionAllowed('x', 'a', 60, 1);
};
same(true, $use(), 'the default prefix');
same(false, $use(), 'again');
foreach (['shop:', '', "a:\0{b}:"] as $prefix) {
	$redis('FLUSHALL');
	ini_set('ratelimit.prefix', $prefix);
	same($prefix, ini_get('ratelimit.prefix'), 'the setting');
	same(true, $use(), "a prefix of its own: " . json_encode($prefix));
	$keys = $redis('KEYS', '*');
	same(3, count($keys), 'three states');
	foreach ($keys as $key) {
		ok(str_starts_with($key, $prefix), json_encode($key) . ' begins with ' . json_encode($prefix));
	}
	ok(in_array("{$prefix}a:1", $keys, true), 'the plain counter has the article\'s key');
}
done();
?>
--EXPECT--
done
