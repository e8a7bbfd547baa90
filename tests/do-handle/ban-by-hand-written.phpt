--TEST--
A ban by hand writes what the article's listing reads; a foreign value stays
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

FrequencyLimit::ban('comment', 7, 100);
same('16777216', $redis('GET', 'act:limit:comment:7'), 'the count');
$left = $redis('PTTL', 'act:limit:comment:7');
ok($left > 90_000 && $left <= 100_001, "the expiry: $left");
$ttl = 60;
$redis('SET', 'act:limit:like:7', '3', 'EX', (string) $ttl);
same(false, FrequencyLimit::unban('like', 7), 'a count of the listing is no ban');
same('3', $redis('GET', 'act:limit:like:7'), 'and stays');
FrequencyLimit::ban('like', 7, 30);
same(true, FrequencyLimit::unban('like', 7), 'unban() deletes the key');
same(0, $redis('EXISTS', 'act:limit:like:7'), 'so that a fresh window begins');

$redis('SET', 'act:limit:vote:7', 'something else');
foreach (['ban' => [60], 'unban' => []] as $method => $more) {
	try {
		FrequencyLimit::$method('vote', 7, ...$more);
		echo "$method() has overwritten a foreign value\n";
	} catch (FrequencyLimit\StoreException $e) {
		ok(str_contains($e->getMessage(), 'not a counter') || str_contains($e->getMessage(), 'vote'), $e->getMessage());
	}
	same('something else', $redis('GET', 'act:limit:vote:7'), 'a foreign value stays');
}

/* A server that is gone: the command takes effect here until it is back, and says so. */
ini_set('ratelimit.on_failure', 'local');
$redis->stop();
try {
	FrequencyLimit::ban('comment', 20, 60);
	echo "no exception\n";
} catch (FrequencyLimit\StoreException $e) {
	ok(str_contains($e->getMessage(), 'only on this machine'), $e->getMessage());
}
same(false, FrequencyLimit::doHandle('comment', 20, 60, 5), 'banned on this machine');
done();
?>
--EXPECT--
done
