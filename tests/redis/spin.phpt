--TEST--
ratelimit.spin changes no answer, avoids a sleep for a fast reply, and ends at ratelimit.timeout
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
$limiter = new FrequencyLimit\Limiter('spin', FrequencyLimit\Limit::tokenBucket(3, 60));
/* How often the kernel put this process to sleep in 50 decisions. */
$sleeps = function (): int {
	$before = getrusage()['ru_nvcsw'];
	for ($i = 0; $i < 50; $i++) {
		FrequencyLimit::doHandle('sleeps', 1, 60, 3);
	}
	return getrusage()['ru_nvcsw'] - $before;
};
foreach (['0', '1000'] as $spin) {
	ini_set('ratelimit.spin', $spin);
	$passed = [0, 0];
	for ($i = 0; $i < 5; $i++) {
		$passed[0] += FrequencyLimit::doHandle("spin $spin", 1, 60, 3);
		$passed[1] += $limiter->consume("spin $spin")->accepted;
	}
	same([3, 3], $passed, "spin $spin: of five calls");
	if (function_exists('getrusage') && $spin > 0) {
		ok(eventually(fn () => $sleeps() < 25), "spin $spin: no sleep before a reply that comes at once");
	}
	same([true, true, true, false, false], array_map(fn ($r) => $r->accepted, $limiter->consumeMany(array_fill(0, 5, "many $spin"))), "spin $spin: many");
}

/* A server that is silent for a while. */
ini_set('ratelimit.timeout', '50');
ini_set('ratelimit.on_failure', 'deny');
$store->server->__invoke('CLIENT', 'PAUSE', '5000');
$start = stopwatch();
same('store_unavailable', FrequencyLimit::check('spin 0', 2, 60, 3)->reason->value, 'nobody answers');
between(0.05, stopwatch() - $start, 3.0, 'seconds of 50 ms');

same('1000', ini_get('ratelimit.spin'), 'before a bad value');
ini_set('ratelimit.spin', '1001');
same('1000', ini_get('ratelimit.spin'), 'and after it');
done();
?>
--EXPECTF--

Warning: ratelimit.spin must be between 0 and 1000 microseconds, "1001" given; "1000" is used instead in %s on line %d
done
