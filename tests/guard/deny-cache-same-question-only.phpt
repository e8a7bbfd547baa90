--TEST--
A cached refusal never answers for another cost, limit, ban, name, prefix, database or server
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/deny-cache.inc';
use FrequencyLimit\{Limit, Limiter, Period, Reason};

$redis = redis_with_deny_cache();
$refuse = function (Limiter $limiter) {
	while (($r = $limiter->consume('x'))->store === 'redis' && $r->accepted);
	same('cache', $limiter->consume('x')->store, 'remembered');
};

/* Costs. */
$limiter = new Limiter('cost', Limit::fixedWindow(10, 60));
$limiter->consume('x', 9);
same([false, 'redis'], [($r = $limiter->consume('x', 2))->accepted, $r->store], 'a cost of 2 is refused');
same([true, 'redis'], [($r = $limiter->consume('x'))->accepted, $r->store], 'which is no word on a cost of 1');
$refuse($limiter);
foreach ([2, 10] as $cost) {
	$r = $limiter->consume('x', $cost);
	same([false, Reason::Limited, 'redis'], [$r->accepted, $r->reason, $r->store], "a cost of $cost is asked: its retryAfter is its own");
}
same([Reason::TooExpensive, null], [($r = $limiter->consume('x', 11))->reason, $r->retryAfter], 'a cost that can never pass');

/* A deploy: a limit that is raised takes effect at once, and so does one that is taken back. */
for ($i = 0; $i < 3; $i++) {
	FrequencyLimit::doHandle('deploy', 1, 60, 2);
}
same(0, asks($redis, fn () => FrequencyLimit::doHandle('deploy', 1, 60, 2)), 'remembered');
same(true, FrequencyLimit::doHandle('deploy', 1, 60, 3), 'raised');
same(1, asks($redis, fn () => FrequencyLimit::doHandle('deploy', 1, 61, 2)), 'another time');
same(1, asks($redis, fn () => FrequencyLimit::doHandle('deploy', 1, 60, 2, ['type' => 1, 'ttl' => 60])), 'with a ban');
same(Reason::Banned, FrequencyLimit::check('deploy', 1, 60, 2, ['type' => 1, 'ttl' => 60])->reason, 'which it starts');
same(1, asks($redis, fn () => FrequencyLimit::doHandle('deploy', 1, 60, 2, ['type' => 1, 'ttl' => 61])), 'with another ban');

$limits = [Limit::fixedWindow(2, 60), Limit::fixedWindow(3, 60), Limit::fixedWindow(2, 61), Limit::fixedWindow(2, 60)->ban(5),
	Limit::fixedWindow(2, 60)->ban(6), Limit::slidingLog(2, 60), Limit::tokenBucket(2, 60), Limit::tokenBucket(2, 60, 3),
	Limit::tokenBucket(1, 60, 2), Limit::calendar(2, Period::Day, 'UTC'), Limit::calendar(2, Period::Month, 'UTC'),
	Limit::calendar(2, Period::Day, 'Pacific/Kiritimati'), [Limit::fixedWindow(2, 60), Limit::slidingLog(9, 60)]];
foreach ($limits as $i => $one) {
	$refuse(new Limiter("changed $i", $one));
	foreach ($limits as $j => $other) {
		if ($i !== $j) {
			same('redis', (new Limiter("changed $i", $other))->peek('x')->store, "limit $j after a refusal of $i");
		}
	}
}

/* Identities and stores. */
for ($i = 0; $i < 2; $i++) {
	FrequencyLimit::check('who', 1, 60, 1);
}
same('cache', FrequencyLimit::check('who', '1', 60, 1)->store, 'the same identity');
foreach (['2', '01', 'x'] as $id) {
	same('redis', FrequencyLimit::check('who', $id, 60, 1)->store, "identity $id");
}
same('redis', FrequencyLimit::check('whom', 1, 60, 1)->store, 'another action');
same(true, FrequencyLimit::isActionAllowed(1, 'who', 60, 1), 'another function');
ini_set('ratelimit.prefix', 'another:');
same([true, 'redis'], [($r = FrequencyLimit::check('who', 1, 60, 1))->accepted, $r->store], 'another prefix');
ini_set('ratelimit.prefix', 'act:limit:');
same('cache', FrequencyLimit::check('who', 1, 60, 1)->store, 'the first prefix');
use_store($redis->dsn('?db=1'));
same([true, 'redis'], [($r = FrequencyLimit::check('who', 1, 60, 1))->accepted, $r->store], 'another database');
$second = new RedisServer();
use_store($second->dsn());
same([true, 'redis'], [($r = FrequencyLimit::check('who', 1, 60, 1))->accepted, $r->store], 'another server');
use_store('shm:');
same([true, 'shm'], [($r = FrequencyLimit::check('who', 1, 60, 1))->accepted, $r->store], 'the embedded store has counts of its own');
same([false, 'shm'], [($r = FrequencyLimit::check('who', 1, 60, 1))->accepted, $r->store], 'and refusals');
use_store($redis->dsn());
same('cache', FrequencyLimit::check('who', 1, 60, 1)->store, 'the first server');

/* Off. */
store_options(deny_cache: 0);
same(10, asks($redis, function () {
	for ($i = 0; $i < 10; $i++) {
		same('redis', FrequencyLimit::check('who', 1, 60, 1)->store, 'off');
	}
}), 'off: each call asks');
done();
?>
--EXPECT--
done
