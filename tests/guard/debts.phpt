--TEST--
The next call tells Redis what has passed while it was away: a pause admits what was left, not once more
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
store_options(connect_timeout: 5000, timeout: 5000, retry_delay: 100, deny_cache: 0);
ini_set('error_log', '/dev/null');
use FrequencyLimit\{Limit, Limiter, Monitor, Period};

$redis = new RedisServer();
ini_set('ratelimit.store', $redis->dsn());
$of = [
	'fixed window' => [Limit::fixedWindow(10, 3600)],
	'calendar window' => [Limit::calendar(10, Period::Year)],
	'sliding log' => [Limit::slidingLog(10, 3600)],
	'sliding window' => [Limit::slidingWindow(10, 3600)],
	'token bucket' => [Limit::tokenBucket(10, 86400)],
	'several' => [Limit::fixedWindow(50, 3600), Limit::slidingLog(10, 7200), Limit::tokenBucket(60, 86400)],
];
$limiters = [];
foreach ($of as $name => $limits) {
	$limiters[$name] = new Limiter($name, $limits);
}
$costs = new Limiter('costs', ['requests' => Limit::fixedWindow(10, 3600), 'tokens' => Limit::tokenBucket(100, 86400)]);
$by = new Limiter('by', ['user' => Limit::fixedWindow(10, 3600)->by('user'), 'tenant' => Limit::fixedWindow(30, 3600)->by('tenant')]);
$many = new Limiter('many', Limit::fixedWindow(10, 3600));
$ask = [
	...array_map(fn ($l) => fn () => $l->allow('x'), $limiters),
	...array_map(fn ($l) => fn () => $l->allow('fresh'), array_combine(array_map(fn ($n) => "$n, first seen in the pause", array_keys($limiters)), $limiters)),
	'costs' => fn () => $costs->consume('x', ['requests' => 1, 'tokens' => 2])->accepted,
	'consumeMany()' => fn () => $many->consumeMany(['x', 'y'])[0]->accepted,
	'labels' => fn () => $by->consume(['user' => 1, 'tenant' => 2])->accepted,
	'doHandle' => fn () => FrequencyLimit::doHandle('debts', 7, 3600, 10),
	'check' => fn () => FrequencyLimit::check('debts', 'x', 3600, 10)->accepted,
];
$passed = array_fill_keys(array_keys($ask), 0);
$round = function (int $n, bool $first = false) use ($ask, &$passed): void {
	foreach ($ask as $name => $one) {
		for ($i = 0; $i < $n && !($first && str_ends_with($name, 'pause')); $i++) {
			$passed[$name] += (int) $one();
		}
	}
};
$round(3, true);
$redis->signal(19);
store_options(connect_timeout: 50, timeout: 50);
same('local', $limiters['fixed window']->consume('somebody')->store, 'Redis pauses');
same('local', $limiters['fixed window']->consume('somebody')->store, 'the breaker opens');
$round(4);
$redis->signal(18);
store_options(connect_timeout: 5000, timeout: 5000);
ok(eventually(fn () => $limiters['fixed window']->peek('somebody')->store === 'redis'), 'Redis is back');
$round(20);
foreach ($passed as $name => $n) {
	same(10, $n, "$name: passed");
}
$limiters['fixed window']->consume('somebody');
$stats = Monitor::stats();
same(0, $stats['permits_lost'], 'lost');
same($stats['permits_owed'], $stats['permits_told'], 'told');

/* A probe tells of no debt. What the machine owes is in its mirror all the same, when Redis pauses again at once. */
$twice = [
	'doHandle' => fn () => FrequencyLimit::doHandle('probe', 7, 3600, 10),
	...array_map(fn ($l) => fn () => $l->allow('probe'), array_diff_key($limiters, ['sliding window' => 0])),
];
foreach ($twice as $name => $one) {
	$passed = 0;
	foreach ([4, 1, 10] as $part => $n) {
		if ($part !== 1) {
			$redis->signal(19);
			$limiters['fixed window']->consume('somebody');
			$limiters['fixed window']->consume('somebody');
		} else {
			$redis->signal(18);
			pause(0.25);
			$told = Monitor::stats()['permits_told'];
		}
		for (; $n > 0; $n--) {
			$passed += (int) $one();
		}
		ok($part !== 1 || Monitor::stats()['permits_told'] === $told, "$name: the probe tells of nothing");
	}
	same(10, $passed, "$name: passed beside a probe");
	$redis->signal(18);
	ok(eventually(fn () => $limiters['fixed window']->peek('somebody')->store === 'redis'), "$name: Redis is back");
}
done();
?>
--EXPECT--
done
