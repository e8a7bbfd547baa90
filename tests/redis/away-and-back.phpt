--TEST--
While Redis is dead on_failure decides; when Redis returns, Redis decides
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
store_options(retry_delay: 1);
ini_set('ratelimit.on_failure', 'local');
for ($round = 0; $round < 3; $round++) {
	ok(eventually(fn () => FrequencyLimit::check('back', "up$round", 3600, 1000000)->store === 'redis'), "round $round: Redis decides");
	$redis->stop();
	for ($i = 0; $i < 5; $i++) {
		$r = FrequencyLimit::check('back', "down$round", 3600, 3);
		same(['local', $i < 3], [$r->store, $r->accepted], "round $round: the embedded store decides, call $i");
	}
	$redis->start();
}
done();
?>
--EXPECT--
done
