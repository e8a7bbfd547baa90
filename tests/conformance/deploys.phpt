--TEST--
A deploy in the middle of a window keeps the counts and each retryAfter of every algorithm
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'stopped redis'); ?>
--FILE--
<?php
require __DIR__ . '/scenario.inc';

use FrequencyLimit\{Limit, Limiter, Period};

/** The same limiter after each deploy. */
function deployed(string $name, Limit ...$limits): Limiter
{
	return new Limiter($name, $limits);
}

/* A number applies to the next call; the count stays. */
foreach (ALGORITHMS as $algorithm) {
	$time->start(START);
	deployed($algorithm, limit($algorithm, 10))->consume('x', 8);
	$r = deployed($algorithm, limit($algorithm, 20))->consume('x');
	same([true, 20, 11], [$r->accepted, $r->limit, $r->remaining], "$algorithm: raised");
	$r = deployed($algorithm, limit($algorithm, 5))->consume('x');
	same([false, 5, 0], [$r->accepted, $r->limit, $r->remaining], "$algorithm: lowered");
	$wait = deployed($algorithm, limit($algorithm, 5))->peek('x')->retryAfter;
	$time->advance((int) ceil($wait * 1e6 / $time->grain()) * $time->grain());
	same(true, deployed($algorithm, limit($algorithm, 5))->consume('x')->accepted, "$algorithm: lowered, after $wait s");
	deployed($algorithm, limit($algorithm, 5))->reset('x');

	/* As does a burst; and an unlimited number of deploys loses nothing. */
	for ($i = 0; $i < 30; $i++) {
		$r = deployed($algorithm, limit($algorithm, 100 + $i))->consume('x');
		same(100 + $i - $i - 1, $r->remaining, "$algorithm: deploy $i");
	}
	deployed($algorithm, limit($algorithm, 5))->reset('x');
}

/* A period applies to the next window. */
$time->start(START);
deployed('fixed', Limit::fixedWindow(2, 10))->consume('x');
same(10.0, deployed('fixed', Limit::fixedWindow(2, 30))->consume('x')->resetAfter, 'fixed window, 10 to 30 s');
$time->advance(10_000_000);
same(30.0, deployed('fixed', Limit::fixedWindow(2, 30))->consume('x')->resetAfter, 'fixed window, the next one');

/* Or to the next admitted call: the old count still applies, and retryAfter stays. */
deployed('log', Limit::slidingLog(2, 10))->consume('x', 2);
$time->advance(4_000_000);
same(6.0, deployed('log', Limit::slidingLog(2, 60))->consume('x')->retryAfter, 'sliding log, 10 to 60 s, used up');
$time->advance(6_000_000);
same(60.0, deployed('log', Limit::slidingLog(2, 60))->consume('x')->resetAfter, 'sliding log, from the next call on');
deployed('log', Limit::slidingLog(3, 60))->consume('x');
same(50.0, deployed('log', Limit::slidingLog(3, 50))->consume('x')->resetAfter, 'sliding log, 60 to 50 s');

deployed('ring', Limit::slidingWindow(2, 30))->consume('x', 2);
same(31.0, deployed('ring', Limit::slidingWindow(2, 300))->consume('x')->retryAfter, 'sliding window, 30 to 300 s, used up');
same(1, deployed('ring', Limit::slidingWindow(4, 300))->consume('x')->remaining, 'sliding window, what counted counts');
same(310.0, deployed('ring', Limit::slidingWindow(4, 300))->peek('x')->resetAfter, 'sliding window, now of 300 s');

/* A raised rate never extends a wait. */
deployed('bucket', Limit::tokenBucket(10, 100))->consume('x', 10);
$r = deployed('bucket', Limit::tokenBucket(100, 100, 10))->consume('x');
same(['limited', 10.0], [$r->reason->value, $r->retryAfter], 'token bucket, a raised rate, used up');
$time->advance(10_000_000);
$r = deployed('bucket', Limit::tokenBucket(100, 100, 10))->consume('x');
same(['accepted', 0, 10.0], [$r->reason->value, $r->remaining, $r->resetAfter], 'token bucket, refilled by the new rate');
same(1.0, deployed('bucket', Limit::tokenBucket(100, 100, 10))->consume('x')->retryAfter, 'token bucket, a permit a second');

deployed('clock', Limit::calendar(2, Period::Minute, 'UTC'))->consume('x', 2);
same(facts(deployed('clock', Limit::calendar(2, Period::Minute, 'UTC'))->peek('x')),
	facts(deployed('clock', Limit::calendar(2, Period::Hour, 'UTC'))->peek('x')), 'calendar, a minute to an hour');

/* The window of the old Period counts until its end, whatever limits come beside it. */
$daily = [Limit::calendar(15, Period::Day, 'UTC')];
$both = [Limit::calendar(10, Period::Minute, 'UTC'), Limit::fixedWindow(20, 10)];
deployed('beside', ...$daily)->consume('x');
$ends = deployed('beside', ...$daily)->peek('x')->resetAfter;
foreach ([8, 7, 6] as $left) {
	same(['accepted', 10, $left, 0.0, $ends], array_slice(facts(deployed('beside', ...$both)->consume('x')), 0, 5), 'calendar, a day to a minute, and a window');
}
same([15, 10], array_slice(facts(deployed('beside', ...$daily)->consume('x')), 1, 2), 'calendar, side by side');

/* Another order, one more, one less: each finds its own count. */
$a = Limit::fixedWindow(10, 60)->named('a');
$b = Limit::fixedWindow(20, 3600)->named('b');
$c = Limit::tokenBucket(30, 60)->named('c');
deployed('order', $a, $b, $c)->consume('x', 5);
same(['accepted', 10, 4, 0.0, 60.0, 'a'], facts(deployed('order', $c, $b, $a)->consume('x')), 'another order');
same([20, 13], array_slice(facts(deployed('order', $b)->consume('x')), 1, 2), 'fewer');
same([10, 3], array_slice(facts(deployed('order', $b, $a)->consume('x')), 1, 2), 'and back: 6 of the one had been used');
same([30, 29], array_slice(facts(deployed('order', Limit::slidingLog(30, 60)->named('d'))->consume('x')), 1, 2), 'another algorithm starts afresh');
/* A slot without a limit stays until its end: the old version of the application still runs. */
same([10, 2], array_slice(facts(deployed('order', $a, $b, $c)->consume('x')), 1, 2), 'side by side');

/* After any deploys the next call finds what a call has counted. */
mt_srand(1);
$of = fn (array $choices) => $choices[mt_rand(0, count($choices) - 1)];
for ($program = 0; $program < 200; $program++) {
	for ($deploy = 0, $texts = []; $deploy < 5; $deploy++) {
		$limits = [];
		foreach (array_slice(['a', 'b', 'c'], 0, mt_rand(1, 3)) as $name) {
			[$algorithm, $number] = [$of(ALGORITHMS), $of([50, 70, 1000])];
			$limit = $algorithm === 'calendar' ? Limit::calendar($number, $of([Period::Minute, Period::Hour, Period::Day]), 'UTC')
				: Limit::$algorithm($number, $of([10, 60, 3600]));
			$limits[] = mt_rand(0, 3) ? $limit : $limit->named($name);
		}
		shuffle($limits);
		$texts[] = implode(' + ', $limits);
		$limiter = deployed("any $program", ...$limits);
		$answer = $limiter->consume('x');
		same($answer->limits, $limiter->peek('x', $answer->accepted ? 0 : 1)->limits, implode(', then ', $texts));
		$time->advance(mt_rand(0, 9_000) * 1000);
	}
}

/* A ban outlives the deploy, whichever limit started it. */
$banning = Limit::slidingLog(1, 60)->ban(600)->named('banning');
deployed('ban', $a, $banning)->consume('x');
deployed('ban', $a, $banning)->consume('x');
same(['banned', 1, 0, 600.0, 600.0, 'banning'], facts(deployed('ban', $a, $banning)->peek('x')), 'a ban');
same(['banned', 10, 0, 600.0, 600.0, 'a'], facts(deployed('ban', $a, $b)->peek('x')), 'a ban, its limit is gone');
same(['banned', 7, 0, 600.0, 600.0, 'other'], facts(deployed('ban', $a, Limit::slidingLog(7, 30)->named('other'))->peek('x')), 'another of its algorithm');
done();
?>
--EXPECT--
done
