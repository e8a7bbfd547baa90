--TEST--
When Redis pauses, the machine goes on from its answers: bans, used-up limits, and what was left of every algorithm
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
store_options(connect_timeout: 5000, timeout: 5000, retry_delay: 60000, deny_cache: 0);
ini_set('error_log', '/dev/null');
use FrequencyLimit\{Limit, Limiter, Period, Reason};

$redis = new RedisServer();
ini_set('ratelimit.store', $redis->dsn());
$limits = [
	'fixed window' => [Limit::fixedWindow(5, 3600)],
	'calendar window' => [Limit::calendar(5, Period::Year)],
	'sliding log' => [Limit::slidingLog(5, 3600)],
	'sliding window' => [Limit::slidingWindow(5, 3600)],
	'token bucket' => [Limit::tokenBucket(5, 86400)],
	'two limits' => [Limit::fixedWindow(50, 3600), Limit::slidingLog(5, 7200)],
	'three limits, of which two have less left than their number' => [Limit::fixedWindow(5, 3600), Limit::tokenBucket(6, 86400), Limit::fixedWindow(50, 7200)],
	'two limits, the first one tighter' => [Limit::tokenBucket(5, 86400), Limit::fixedWindow(50, 3600)],
];
/** Returns the calls that pass of so many. */
$passes = function (callable $call, int $n = 10): int {
	for ($passed = 0; $n > 0; $n--) {
		$passed += (int) $call();
	}
	return $passed;
};
foreach ($limits as $name => $of) {
	$limiter[$name] = new Limiter($name, $of);
	same(5, $passes(fn () => $limiter[$name]->allow('exhausted')), "$name: exhausted");
	same(3, $passes(fn () => $limiter[$name]->allow('left'), 3), "$name: two are left");
	same(true, $limiter[$name]->consume('costs', 4)->accepted, "$name: one is left");
}
foreach (['for' => [3600], 'steps' => [[600, 3600], 86400]] as $kind => $ban) {
	$banning[$kind] = new Limiter("ban $kind", Limit::fixedWindow(3, 10)->ban(...$ban));
	same(3, $passes(fn () => $banning[$kind]->allow('banned')), "banned $kind");
	$ends[$kind] = $banning[$kind]->peek('banned')->retryAfter;
}
$by_hand = $limiter['fixed window'];
same(true, $by_hand->allow('by hand'), 'by hand');
$by_hand->ban('by hand', 1800);
same(5, $passes(fn () => FrequencyLimit::doHandle('used up', 7, 3600, 5)), 'doHandle');
same(3, $passes(fn () => FrequencyLimit::doHandle('left', 7, 3600, 5), 3), 'doHandle: two are left');
same(2, $passes(fn () => FrequencyLimit::check('check', 'banned', 10, 2, ['type' => 1, 'ttl' => 3600])->accepted), 'check: banned');

$redis->signal(19);
store_options(connect_timeout: 50, timeout: 50);
same('local', $limiter['fixed window']->consume('somebody')->store, 'Redis pauses');
foreach ($limits as $name => $_) {
	same(0, $passes(fn () => $limiter[$name]->allow('exhausted')), "$name: exhausted, without Redis");
	same(2, $passes(fn () => $limiter[$name]->allow('left')), "$name: what was left");
	same(1, $passes(fn () => $limiter[$name]->allow('costs')), "$name: what a cost of 4 has left");
	same(5, $passes(fn () => $limiter[$name]->allow('never seen')), "$name: an identity that was never seen begins afresh");
}
foreach ($banning as $kind => $banned) {
	same(0, $passes(fn () => $banned->allow('banned')), "banned $kind, without Redis");
	$r = $banned->consume('banned');
	same([Reason::Banned, 'local'], [$r->reason, $r->store], "banned $kind");
	between($ends[$kind] - 10, $r->retryAfter, $ends[$kind], "banned $kind: the end");
	same($kind === 'steps' ? 1 : 0, $r->level, "banned $kind: the level");
}
same(0, $passes(fn () => $by_hand->allow('by hand')), 'banned by hand, without Redis');
same(0, $passes(fn () => FrequencyLimit::doHandle('used up', 7, 3600, 5)), 'doHandle: used up, without Redis');
same(2, $passes(fn () => FrequencyLimit::doHandle('left', 7, 3600, 5)), 'doHandle: what was left');
same(0, $passes(fn () => FrequencyLimit::check('check', 'banned', 10, 2, ['type' => 1, 'ttl' => 3600])->accepted), 'check: banned, without Redis');
$redis->signal(18);
done();
?>
--EXPECT--
done
