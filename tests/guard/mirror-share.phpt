--TEST--
With local:1/N a machine admits its share of what was left, at least one permit, and a refusal by it begins no ban
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
ini_set('ratelimit.on_failure', 'local:1/4');
use FrequencyLimit\{Limit, Limiter};

foreach (['local:', 'local:1', 'local:1/', 'local:1/0', 'local:1/1', 'local:1/02', 'local:1/10001', 'local:2/4', 'local:1/4 ', 'Local'] as $wrong) {
	same(false, @ini_set('ratelimit.on_failure', $wrong), "\"$wrong\" is refused");
}
foreach (['local:1/2', 'local:1/10000', 'local:1/4'] as $right) {
	ok(ini_set('ratelimit.on_failure', $right) !== false, "\"$right\" is taken");
}
$redis = new RedisServer();
ini_set('ratelimit.store', $redis->dsn());
$passes = function (callable $call): int {
	for ($passed = 0, $n = 60; $n > 0; $n--) {
		$passed += (int) $call();
	}
	return $passed;
};
$limiters = [
	'fixed window' => new Limiter('fixed window', Limit::fixedWindow(50, 3600)->ban(600)),
	'sliding log' => new Limiter('sliding log', Limit::slidingLog(50, 3600)),
	'token bucket' => new Limiter('token bucket', Limit::tokenBucket(50, 86400)),
	'several' => new Limiter('several', [Limit::fixedWindow(50, 3600), Limit::slidingWindow(90, 7200)]),
];
$by = new Limiter('by', ['user' => Limit::fixedWindow(50, 3600)->by('user'), 'all' => Limit::fixedWindow(500, 3600)->by('all')]);
foreach ($limiters as $name => $limiter) {
	same(true, $limiter->consume('x', 10)->accepted, "$name: 40 are left");
	same(true, $limiter->consume('nearly', 48)->accepted, "$name: 2 are left");
}
same(true, $by->consume(['user' => 1, 'all' => 1], 10)->accepted, 'by: 40 are left');
same(true, FrequencyLimit::check('share', 'x', 3600, 41)->accepted, 'check: 40 are left');

$redis->signal(19);
store_options(connect_timeout: 50, timeout: 50);
same('local', $limiters['sliding log']->consume('somebody')->store, 'Redis pauses');
$limiters['sliding log']->consume('somebody');
foreach ($limiters as $name => $limiter) {
	same(10, $passes(fn () => $limiter->allow('x')), "$name: a fourth of 40");
	same(1, $passes(fn () => $limiter->allow('nearly')), "$name: at least one");
	same(12, $passes(fn () => $limiter->allow('new')), "$name: a fourth of the limit, of one that was never seen");
	$r = $limiter->consume('x');
	same([false, 'limited', 50], [$r->accepted, $r->reason->value, $r->limit], "$name: refused, and not banned");
	same('limited', $limiter->consume('x', 20)->reason->value, "$name: a cost above the share");
}
same(10, $passes(fn () => $by->allow(['user' => 1, 'all' => 1])), 'by: a fourth of 40');
same(10, $passes(fn () => FrequencyLimit::check('share', 'x', 3600, 41, ['type' => 1, 'ttl' => 600])->accepted), 'check: a fourth of 40');
same('limited', FrequencyLimit::check('share', 'x', 3600, 41, ['type' => 1, 'ttl' => 600])->reason->value, 'check: not banned');

/* Of each identity's limit, in any order of the labels. */
$parts = ['tenant' => Limit::fixedWindow(20, 3600)->by('tenant'), 'user' => Limit::fixedWindow(9, 3600)->by('user')];
foreach ([['tenant', 'user'], ['user', 'tenant']] as $order) {
	$limiter = new Limiter($order[0] . ' first', array_map(fn ($label) => $parts[$label], $order));
	$user = 0;
	same(5, $passes(function () use ($limiter, &$user): bool { return $limiter->allow(['tenant' => 1, 'user' => $user++]); }), "$order[0] first: a fourth of 20");
}

/* A share of one section holds for a function with several. */
ini_set('ratelimit.on_failure', 'local');
file_put_contents($file = temp_folder() . '/limiters', "[part]\non_failure = local:1/4\na = fixed:8/1h\n[whole]\nb = fixed:50/1h\n");
touch($file, time() - 60);
ini_set('ratelimit.limiters', $file);
$call = #[FrequencyLimit\RateLimit('part'), FrequencyLimit\RateLimit('whole')] fn (): int => 1;
same(2, $passes(function () use ($call): int {
	try {
		return $call();
	} catch (FrequencyLimit\LimitExceeded) {
		return 0;
	}
}), 'several limiters: a fourth of 8');
$redis->signal(18);
done();
?>
--EXPECT--
done
