--TEST--
A flood that fills the mirror's memory makes it forget no ban and few used-up limits, and untouched ones first
--EXTENSIONS--
ratelimit
--INI--
ratelimit.shm_size=1M
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
use FrequencyLimit\{Limit, Limiter, Monitor};

store_options(deny_cache: 0, retry_delay: 60000);
$redis = new RedisServer();
ini_set('ratelimit.store', $redis->dsn());
$limiter = new Limiter('login', Limit::fixedWindow(2, 3600));
$log = new Limiter('log', Limit::slidingLog(2, 3600)->ban(3600));
$known = 100;
for ($i = 0; $i < $known; $i++) {
	$limiter->ban("banned $i", 3600);
	$limiter->consume("full $i");
	$limiter->consume("full $i");
	$log->consume("banned by the limit $i", 2);
	same('banned', $log->consume("banned by the limit $i")->reason->value, "ban $i");
	FrequencyLimit::ban('login', "banned $i", 3600);
}
$slots = Monitor::stats()['slots'];
$evictions = Monitor::stats()['evictions'];
for ($i = 0; $i < 2 * $slots; $i += 500) {
	$limiter->consumeMany(array_map(fn (int $n) => "invented $n", range($i, $i + 499)));
}
ok(Monitor::stats()['evictions'] - $evictions > $slots / 2, 'the flood fills the memory');
same(0, Monitor::stats()['bans_evicted'], 'no ban makes room');

$redis->signal(19);
store_options(connect_timeout: 50, timeout: 50);
[$limiter, $log] = [new Limiter('login', Limit::fixedWindow(2, 3600)), new Limiter('log', Limit::slidingLog(2, 3600)->ban(3600))];
$limiter->consume('somebody');
$passed = ['banned' => 0, 'banned by the limit' => 0, 'full' => 0, 'banned by check()' => 0, 'invented' => 0];
for ($i = 0; $i < $known; $i++) {
	$passed['banned'] += (int) $limiter->allow("banned $i");
	$passed['full'] += (int) $limiter->allow("full $i");
	$passed['banned by the limit'] += (int) $log->allow("banned by the limit $i");
	$passed['banned by check()'] += (int) FrequencyLimit::check('login', "banned $i", 3600, 2)->accepted;
	$passed['invented'] += (int) $limiter->consume("invented $i", 2)->accepted;
}
same([0, 0, 0], [$passed['banned'], $passed['banned by the limit'], $passed['banned by check()']], 'of 300 bans');
ok($passed['full'] <= 3, "$passed[full] of $known used-up limits are forgotten");
ok($passed['invented'] > $known / 2, "$passed[invented] of $known that were touched once are forgotten");
$redis->signal(18);
done();
?>
--EXPECT--
done
