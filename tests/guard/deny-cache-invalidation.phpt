--TEST--
A reset, unban, credit, ban or cancellation clears the deny cache at once; no entry outlives the option deny_cache
--EXTENSIONS--
ratelimit
pcntl
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
$refused = function (Limiter $limiter): void {
	while ($limiter->consume('x')->accepted);
	same('cache', $limiter->consume('x')->store, 'remembered');
};
/* A command of another worker applies to this one. */
$elsewhere = fn (callable $what) => in_processes(1, $what);
foreach (['here' => fn (callable $what) => $what(), 'in another worker' => $elsewhere] as $where => $do) {
	FrequencyLimit::check("plain $where", 'x', 60, 1);
	FrequencyLimit::check("plain $where", 'x', 60, 1);
	FrequencyLimit::isActionAllowed('x', "plain $where", 60, 1);
	same([false, false], [FrequencyLimit::check("plain $where", 'x', 60, 1)->accepted, FrequencyLimit::isActionAllowed('x', "plain $where", 60, 1)], 'refused');
	$do(fn () => FrequencyLimit::reset("plain $where", 'x'));
	same([true, true], [FrequencyLimit::check("plain $where", 'x', 60, 1)->accepted, FrequencyLimit::isActionAllowed('x', "plain $where", 60, 1)], "reset $where");

	$limiter = new Limiter("limiter $where", Limit::slidingLog(2, 60));
	$refused($limiter);
	$do(fn () => $limiter->credit('x'));
	same(true, $limiter->consume('x')->accepted, "credit $where");
	$refused($limiter);
	$do(fn () => $limiter->reset('x'));
	same(true, $limiter->consume('x')->accepted, "reset of a limiter $where");
	$refused($limiter);
	$do(fn () => $limiter->ban('x', 600));
	same([Reason::Banned, 'redis'], [($r = $limiter->consume('x'))->reason, $r->store], "ban $where");
	same('cache', $limiter->consume('x')->store, 'the ban is remembered');
	$do(fn () => $limiter->unban('x'));
	same(Reason::Limited, $limiter->consume('x')->reason, "unban $where");

	$banning = new Limiter("banning $where", Limit::fixedWindow(1, 60)->ban(600));
	$refused($banning);
	$do(fn () => $banning->unban('x'));
	same(true, $banning->consume('x')->accepted, "unban of a limit's ban $where");

	$booking = new Limiter("booking $where", Limit::slidingLog(1, 60));
	$at = time() + 30;
	same(true, $booking->reserve('x', $at)->accepted, 'booked');
	$refused($booking);
	$do(fn () => $booking->cancel('x', $at));
	same(true, $booking->consume('x')->accepted, "cancel $where");
}

/* A command of another machine applies after deny_cache. */
store_options(deny_cache: 150);
FrequencyLimit::check('bound', 'x', 60, 1);
same('redis', FrequencyLimit::check('bound', 'x', 60, 1)->store, 'Redis refuses');
$start = stopwatch();
$redis('FLUSHALL');
while (!FrequencyLimit::check('bound', 'x', 60, 1)->accepted && stopwatch() - $start < 10);
$took = stopwatch() - $start;
ok($took < 0.15 + 2, "remembered for $took s");

/* A window that ends before the bound ends the memory of it. */
store_options(deny_cache: 3600000);
$limiter = new Limiter('short', Limit::fixedWindow(1, 0.1));
for ($round = 0; $round < 5; $round++) {
	do {
		while ($limiter->consume('x')->accepted);
		$r = $limiter->consume('x');
	} while ($r->accepted); /* on a machine that stood still for a window */
	between(0, $r->retryAfter, 0.101, 'the window\'s end');
	pause($r->retryAfter);
	same(true, $limiter->consume('x')->accepted, "round $round: after retryAfter, as told by $r->store");
	$limiter->reset('x');
}

/* A lower setting applies to existing entries. */
FrequencyLimit::check('lower', 'x', 60, 1);
FrequencyLimit::check('lower', 'x', 60, 1);
same('cache', FrequencyLimit::check('lower', 'x', 60, 1)->store, 'remembered for an hour');
store_options(deny_cache: 1);
same('redis', FrequencyLimit::check('lower', 'x', 60, 1)->store, 'no longer');
done();
?>
--EXPECT--
done
