--TEST--
The smallest and largest numbers, periods and bans work for every algorithm
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'stopped redis'); ?>
--FILE--
<?php
require __DIR__ . '/scenario.inc';

use FrequencyLimit\{Limit, Period};

const MOST = 1_000_000_000_000;
const TEN_YEARS = 315_360_000;

/* The largest accepted numbers work, at once and one by one; the clock advances to the end. */
$cases = [
	'fixedWindow' => [Limit::fixedWindow(MOST, TEN_YEARS), MOST, TEN_YEARS * 1e6],
	'calendar' => [Limit::calendar(MOST, Period::Month, 'UTC'), MOST, (strtotime('2030-04-01T00:00Z') - START / 1e6) * 1e6],
	'slidingLog' => [Limit::slidingLog(10_000, TEN_YEARS), 10_000, TEN_YEARS * 1e6],
	'slidingWindow' => [Limit::slidingWindow(MOST, TEN_YEARS), MOST, TEN_YEARS * 1e6 * 31 / 30],
	'tokenBucket' => [Limit::tokenBucket(MOST, TEN_YEARS), MOST, TEN_YEARS * 1e6],
];
foreach ($cases as $algorithm => [$limit, $number, $whole_us]) {
	$time->start(START);
	$limiter = limiter($limit);
	$first = $limiter->consume('x', 1);
	same([true, $number, $number - 1], [$first->accepted, $first->limit, $first->remaining], "$algorithm, one");
	$r = $limiter->consume('x', $number - 1);
	same([true, 0], [$r->accepted, $r->remaining], "$algorithm, all at once");
	same($whole_us / 1e6, $r->resetAfter, "$algorithm: whole again");
	$r = $limiter->consume('x', $number);
	same(['limited', 0, $whole_us / 1e6], [$r->reason->value, $r->remaining, $r->retryAfter], "$algorithm: used up");
	$limiter->credit('x', MOST);
	same($number - 1, $limiter->peek('x')->remaining, "$algorithm: all given back");
	$limiter->consume('x', $number);
	$time->advance((int) $whole_us - 1000);
	same('limited', $limiter->consume('x', $number)->reason->value, "$algorithm, a millisecond early");
	$time->advance(1000);
	same(['accepted', 0], [($r = $limiter->consume('x', $number))->reason->value, $r->remaining], "$algorithm, years later");
	$limiter->reset('x');
}

/* The smallest: one in a millisecond. */
$time->start(START);
foreach (['fixedWindow', 'slidingLog', 'tokenBucket', 'slidingWindow'] as $algorithm) {
	$limiter = limiter(Limit::$algorithm(1, 0.001));
	for ($i = 0; $i < 5; $i++) {
		same([true, false], [$limiter->consume('x')->accepted, $limiter->consume('x')->accepted], "$algorithm, 1 ms, call $i");
		$retry = $limiter->peek('x')->retryAfter;
		/* A part of a sliding window is 34 us here, and counts until all of it has left. */
		same($algorithm === 'slidingWindow' ? 0.001034 : 0.001, $retry, "$algorithm, 1 ms: retryAfter");
		$time->advance((int) ceil($retry * 1e6 / $time->grain()) * $time->grain());
	}
}

/* Bans of a millisecond and of ten years. */
foreach ([0.001, TEN_YEARS] as $seconds) {
	$time->start(START);
	$limiter = limiter(Limit::fixedWindow(1, 0.001)->ban($seconds));
	$limiter->consume('x');
	same((float) $seconds, $limiter->consume('x')->retryAfter, "a ban of $seconds s");
	$time->advance((int) round($seconds * 1e6) - $time->grain());
	same($seconds * 1e6 > $time->grain() ? 'banned' : 'banned', $limiter->peek('x')->reason->value, "a ban of $seconds s, nearly over");
	$time->advance($time->grain());
	same('accepted', $limiter->consume('x')->reason->value, "a ban of $seconds s, over");
	$limiter->ban('x', $seconds);
	same((float) $seconds, $limiter->consume('x')->retryAfter, "a ban by hand of $seconds s");
	$limiter->reset('x');
}

/* Eight limits. */
$limiter = limiter(...array_map(fn ($i) => Limit::fixedWindow(8 - $i, 60 + $i)->named("l$i"), range(0, 7)));
same(['accepted', 1, 0, 0.0, 67.0, 'l7'], facts($limiter->consume('x')), 'eight limits');
same(['limited', 1, 0, 67.0, 67.0, 'l7'], facts($limiter->consume('x')), 'eight limits');
done();
?>
--EXPECT--
done
