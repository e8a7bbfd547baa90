--TEST--
Known mistakes: rounding, decay and refill never admit one call too many or too few
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'stopped redis'); ?>
--FILE--
<?php
/* Known mistakes of other limiters: counting. */
require __DIR__ . '/../conformance/scenario.inc';

use FrequencyLimit\{Limit, Period};
use Model\Traffic;

/* A decay in whole numbers admits a second call: with a limit of 1, seconds 1 to 59 must refuse. */
foreach (ALGORITHMS as $algorithm) {
	$time->start(START - 1_000_000);
	$limiter = limiter(limit($algorithm, 1));
	$limiter->consume('x');
	for ($second = 1; $second < 60; $second++) {
		$time->advance(1_000_000);
		same(false, $limiter->consume('x')->accepted, "$algorithm, 1 in 60 s: again after $second s");
	}
}

/* A decay applied to the stored count again with each call: 100 calls a second against 10 a minute. */
foreach (['slidingLog', 'slidingWindow'] as $algorithm) {
	$time->start(START);
	$limiter = limiter(limit($algorithm, 10));
	$admitted = [];
	for ($ms = 0; $ms < 180_000; $ms += 10) {
		if ($limiter->consume('x')->accepted) {
			$admitted[] = $ms;
		}
		$time->advance(10_000);
	}
	same(10, Traffic::most($admitted, 60_000), "$algorithm, 100 calls a second: the most in a minute");
	between(20, count($admitted), 30, "$algorithm, 100 calls a second: all that passed in three minutes");
}

/* Off by one: a bucket of b admits exactly b at once, then one in each interval. */
foreach ([[1, 1, 1], [3, 60, 1], [3, 60, 3], [5, 1, 10], [7, 60, 20]] as [$rate, $seconds, $burst]) {
	$time->start(START);
	$limiter = limiter(Limit::tokenBucket($rate, $seconds, $burst));
	same($burst, exhaust($limiter, 'x')[1], "burst $burst: at once");
	$interval = $seconds * 1e6 / $rate;
	for ($i = 1, $at = 0; $i <= 20; $i++) {
		/* The last step of the clock before the next permit, and the first one at or after it. */
		$next = (int) (ceil($i * $interval / $time->grain()) * $time->grain());
		$time->advance($next - $time->grain() - $at);
		same(false, $limiter->consume('x')->accepted, "burst $burst, permit $i: a step too early");
		$time->advance($time->grain());
		$at = $next;
		same(true, $limiter->consume('x')->accepted, "burst $burst, permit $i");
		same(false, $limiter->consume('x')->accepted, "burst $burst, permit $i: and no other");
	}
}

/* A refill in whole intervals only, or one that restarts with each call: 100 calls, 0.9 intervals apart. */
$time->start(START);
$limiter = limiter(Limit::tokenBucket(1, 1, 1));
$passed = 0;
for ($i = 0; $i < 100; $i++) {
	$passed += $limiter->consume('x')->accepted ? 1 : 0;
	$time->advance(900_000);
}
/* The calls at 0, 1.8, 3.6 … 89.1 s find a permit: every second one, because refusals leave no trace. */
same(50, $passed, 'a call every 0.9 intervals');
$limiter = limiter(Limit::tokenBucket(1, 1, 5));
$limiter->consume('x', 5);
$passed = 0;
for ($i = 0; $i < 1000; $i++) {
	$time->advance(90_000);
	$passed += $limiter->consume('x')->accepted ? 1 : 0;
}
same(90, $passed, 'a call every 0.09 intervals, for 90 intervals');

/* What is left is never below 0 and never above the limit, whatever is credited. */
foreach (ALGORITHMS as $algorithm) {
	$limiter = limiter(limit($algorithm, 5));
	foreach ([3, -9, 5, -1, -1, 2, 1, -16_777_215, 5] as $cost) {
		$cost < 0 ? $limiter->credit('x', -$cost) : $limiter->consume('x', $cost);
		foreach ([1, 5] as $n) {
			between(0, $limiter->peek('x', $n)->remaining, 5, "$algorithm: remaining");
		}
		$time->advance(1_000_000);
	}
}

/* Costs are whole numbers. */
$limiter = limiter(Limit::fixedWindow(5, 60));
foreach ([1.5, '1.5', 'two', NAN] as $cost) {
	set_error_handler(fn (int $no, string $text) => throw new TypeError($text));
	try {
		$limiter->consume('x', $cost);
		failed('a cost of ' . var_export($cost, true) . ' is taken');
	} catch (TypeError) {
	}
	restore_error_handler();
}
same(4, $limiter->peek('x')->remaining, 'and nothing was counted');
done();
?>
--EXPECT--
done
