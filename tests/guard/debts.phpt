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

/* A full server executes nothing: what passes in its place is owed, too. A skipped limit's debt is no less. */
$skipped = new Limiter('skipped', ['a' => Limit::fixedWindow(100, 3600), 'b' => Limit::fixedWindow(10, 3600)]);
$full = [
	'full: doHandle' => fn () => FrequencyLimit::doHandle('full', 7, 3600, 10),
	'full: labels' => fn () => $by->allow(['user' => 'full', 'tenant' => 'full']),
	'full: consumeMany()' => fn () => $many->consumeMany(['full'])[0]->accepted,
	'full: skipped' => fn () => $skipped->allow('full', ['a' => 1, 'b' => 1]),
	...array_map(fn ($l) => fn () => $l->allow('full'), $limiters),
];
$passed = array_fill_keys(array_keys($full), 0);
foreach ([3, 2, 1, 3, 20, 3] as $part => $n) {
	$redis('CONFIG', 'SET', 'maxmemory', $part % 2 ? '1' : '0');
	for (; $n > 0; $n--) {
		foreach ($full as $name => $one) {
			$passed[$name] += (int) $one();
		}
		if ($part % 2 === 0) {
			$skipped->consume('full', ['a' => 1, 'b' => 0]);
		}
	}
}
$redis('CONFIG', 'SET', 'maxmemory', '0');
foreach ($passed as $name => $n) {
	same(10, $n, "$name: passed");
}
same(0, Monitor::stats()['permits_lost'], 'full: lost');

/* A debt is of its window; of another limit it lasts as long as its last permit. */
$lasting = [
	'fixed window' => new Limiter('lasting', Limit::fixedWindow(4, 1)),
	'sliding log' => new Limiter('lasting log', Limit::slidingLog(4, 1)),
	'sliding window' => new Limiter('lasting window', Limit::slidingWindow(4, 1)),
	'check' => null,
];
foreach ($lasting as $name => $limiter) {
	$one = fn () => $limiter !== null ? $limiter->allow('x') : FrequencyLimit::check('lasting', 'x', 1, 4)->accepted;
	$at = [];
	$until = function (float $moment) use (&$began): void {
		pause(max(0, $began + $moment - microtime(true)));
	};
	$pass = function (int $n) use ($one, &$at): void {
		for (; $n > 0; $n--) {
			$before = microtime(true);
			if ($one()) {
				$at[] = [$before, microtime(true)];
			}
		}
	};
	$one();
	$until(0);
	$began = microtime(true) + 1.1;
	$until(0);
	$redis('CONFIG', 'SET', 'maxmemory', '1');
	$pass(1);
	$until($name === 'fixed window' || $name === 'check' ? 1.05 : 0.9);
	$pass(3);
	$redis('CONFIG', 'SET', 'maxmemory', '0');
	foreach ([1.15, 1.3, 1.5, 1.7, 2.4] as $moment) {
		$until($moment);
		$pass(4);
	}
	/* Windows begin with their first call, so at most the limit passes from there on; any 4 of a log end a second before the fifth. */
	$from = $name === 'fixed window' || $name === 'check' ? 1 : 0;
	for ($i = $from; isset($at[$i + 4]); $i += $from === 1 ? 4 : 1) {
		ok($at[$i + 4][1] - $at[$i][0] > 0.999, "$name: call $i and the fourth behind it");
	}
	ok(count($at) >= 5, "$name: and calls pass");
}

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
			store_options(connect_timeout: 50, timeout: 50);
			$limiters['fixed window']->consume('somebody');
			$limiters['fixed window']->consume('somebody');
		} else {
			$redis->signal(18);
			store_options(connect_timeout: 5000, timeout: 5000);
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
	store_options(connect_timeout: 5000, timeout: 5000);
	ok(eventually(fn () => $limiters['fixed window']->peek('somebody')->store === 'redis'), "$name: Redis is back");
}
done();
?>
--EXPECT--
done
