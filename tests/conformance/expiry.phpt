--TEST--
Known mistakes: no state outlives its end, and none ends early
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'stopped redis'); ?>
--FILE--
<?php
/* Known mistakes of other limiters: states that live too long, or not long enough. */
require __DIR__ . '/../conformance/scenario.inc';

use FrequencyLimit\{Limit, Limiter, Period};

/** Checks on Redis that every key expires, not before its state ends, and at most two seconds later; a calendar's a minute later. */
function expires(string $what, float $least): void
{
	$redis = redis();
	$least += str_starts_with($what, 'calendar') ? 60 : 0;
	foreach ($redis ? $redis('KEYS', '*') : [] as $key) {
		between($least * 1000, $redis('PTTL', $key), $least * 1000 + 2000, "$what: $key lives");
	}
}

foreach (ALGORITHMS as $algorithm) {
	$time->start(START);
	if (redis()) {
		redis()('FLUSHALL');
	}
	/* Keys without an expiry; an expiry in seconds instead of milliseconds: each call sets the right expiry. */
	$limiter = limiter(limit($algorithm, 3));
	foreach (['consume', 'peek', 'consume', 'credit', 'consume', 'consume', 'consume', 'credit'] as $call) {
		$r = $limiter->$call('x');
		expires("$algorithm, $call", $limiter->peek('x', 16_777_215)->resetAfter);
		$time->advance(100_000);
	}
	$limiter->ban('x', 1000);
	expires("$algorithm, ban", 1000);
	$limiter->unban('x');
	expires("$algorithm, unban", $limiter->peek('x', 16_777_215)->resetAfter);

	/* The state of a sliding limit expires with its window, although it still counts. */
	$time->start(START);
	$limiter = limiter(limit($algorithm, 10));
	$time->advance(1_000_000);
	$limiter->consume('x', 5);
	$time->advance(50_000_000);
	$limiter->consume('x', 5);
	$time->advance(11_000_000);
	$left = ['fixedWindow' => 10, 'calendar' => 10, 'slidingLog' => 5, 'slidingWindow' => 0, 'tokenBucket' => 6][$algorithm];
	same($left, exhaust($limiter, 'x')[1], "$algorithm, 61 s after the first call, 11 s after the second");
}

/* An expiry in whole seconds disables the limit. */
if (redis()) {
	redis()('FLUSHALL');
}
foreach (array_diff(ALGORITHMS, ['calendar']) as $algorithm) {
	foreach ([[1000, 1], [8000, 1], [3, 0.5], [5, 0.003]] as [$number, $seconds]) {
		$time->start(START);
		$limiter = limiter(Limit::$algorithm($number, $seconds));
		same([true, false], [$limiter->consume('x', $number)->accepted, $limiter->consume('x')->accepted], "$algorithm($number, $seconds)");
		expires("$algorithm($number, $seconds)", $limiter->peek('x')->resetAfter);
		if (redis()) {
			redis()('FLUSHALL');
		}
	}
}

/* Hit, credit, hit: the window's end stays. */
$time->start(START);
$limiter = limiter(Limit::fixedWindow(5, 60));
$limiter->consume('x', 2);
$time->advance(20_000_000);
$limiter->credit('x', 2);
$time->advance(20_000_000);
same(20.0, $limiter->consume('x')->resetAfter, 'hit, credit, hit');
/* A count that goes on after its end. */
$time->advance(20_000_000);
same([4, 60.0], [($r = $limiter->consume('x'))->remaining, $r->resetAfter], 'after the end it begins at 0');

/* A ban is overwritten, or prolonged, by the calls that it refuses. */
foreach (ALGORITHMS as $algorithm) {
	$time->start(START);
	$limiter = limiter(limit($algorithm, 1)->ban(100));
	exhaust($limiter, 'x');
	for ($i = 0; $i < 100; $i++) {
		same(100.0 - $i, $limiter->consume('x')->retryAfter, "$algorithm: call $i of a ban");
		$time->advance(1_000_000);
	}
	same(true, $limiter->consume('x')->accepted, "$algorithm: after the ban");
}

/* A booking expires before its time. */
if (redis()) {
	redis()('FLUSHALL');
}
$time->start(START);
$limiter = limiter(Limit::slidingLog(1, 60), Limit::calendar(2, Period::Day, 'UTC'));
$at = intdiv(START, 1_000_000) + 30 * 86_400;
same(true, $limiter->reserve('x', $at)->accepted, 'booked, a month ahead');
for ($day = 0; $day < 29; $day++) {
	$time->advance(86_400_000_000);
	$limiter->consume('x');
	same(false, $limiter->reserve('x', $at + 59)->accepted, "still booked on day $day");
}
if (redis()) {
	ok(redis()('PTTL', redis()('KEYS', '*')[0]) > 86_400_000, 'its key lives as long');
}
done();
?>
--EXPECT--
done
