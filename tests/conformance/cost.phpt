--TEST--
Known mistakes: a refusal charges nothing, a credit respects the limit, peek() matches consume()
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'stopped redis'); ?>
--FILE--
<?php
/* Mistakes that other limiters shipped: costs, credits, refusals. */
require __DIR__ . '/../conformance/scenario.inc';

use FrequencyLimit\{Limit, Period};

foreach (ALGORITHMS as $algorithm) {
	$time->start(START);
	/* A refused call is charged: 9 of 10, then a cost of 5, again and again. */
	$limiter = limiter(limit($algorithm, 10));
	$limiter->consume('x', 9);
	for ($i = 0; $i < 20; $i++) {
		same(['limited', 1], array_slice([($r = $limiter->consume('x', 5))->reason->value, $r->remaining], 0, 2), "$algorithm: refusal $i");
	}
	/* A cached refusal applies to every cost: a smaller cost must still pass. */
	same(true, $limiter->consume('x')->accepted, "$algorithm: a cost of 1 after a refused 5");

	/* Credits: of nobody, at nothing used, more than was used, twice, after the end. */
	$limiter = limiter(limit($algorithm, 10));
	$limiter->credit('x');
	same(false, $limiter->reset('x'), "$algorithm: a credit to nobody writes nothing");
	$limiter->consume('x', 10);
	$limiter->credit('x', 4);
	same([true, 0], [($r = $limiter->consume('x', 4))->accepted, $r->remaining], "$algorithm: what was given back can be taken");
	same(false, $limiter->consume('x')->accepted, "$algorithm: and no more");
	$limiter->credit('x', 100);
	$limiter->credit('x', 100);
	same(10, exhaust($limiter, 'x')[1], "$algorithm: never above the limit");
	$time->advance(120_000_000);
	$limiter->credit('x', 5);
	same(10, exhaust($limiter, 'x')[1], "$algorithm: a credit after the end");
	/* A credit after a reset, or across the edge of a window: never more than the limit. */
	$limiter->reset('x');
	$limiter->credit('x', 5);
	same(10, exhaust($limiter, 'x')[1], "$algorithm: a credit after a reset");

	/* A credit goes to what runs now, whichever call it is meant for: the window of the first ten is over. */
	$limiter = limiter(limit($algorithm, 10));
	$limiter->consume('x', 10);
	$time->advance(120_000_000);
	$limiter->consume('x', 10);
	$limiter->credit('x', 10);
	same([true, 0], [($r = $limiter->consume('x', 10))->accepted, $r->remaining], "$algorithm: a credit to the window that runs now");
	same(false, $limiter->consume('x')->accepted, "$algorithm: and no more than that");
	same(false, method_exists($limiter, 'refund'), 'what gives to any window does not promise to give back');

	/* peek(k) passes exactly when consume(k) would: for every k, at every fill. */
	for ($used = 0; $used <= 5; $used++) {
		for ($k = 1; $k <= 6; $k++) {
			$limiter = limiter(limit($algorithm, 5));
			if ($used) {
				$limiter->consume('x', $used);
			}
			$peek = $limiter->peek('x', $k);
			same($k <= 5 - $used, $peek->accepted, "$algorithm: peek($k) with $used used");
			same(facts($peek), facts($limiter->consume('x', $k)), "$algorithm: consume($k) with $used used");
		}
	}

	/* retryAfter is "now" right after the last permit. */
	$limiter = limiter(limit($algorithm, 3));
	[$r] = exhaust($limiter, 'x');
	ok($r->retryAfter > 0, "$algorithm: retryAfter of a refusal");
	/* Retry-After is cut to 0: at least 1, and never before the time. */
	same((string) max(1, (int) ceil($r->retryAfter)), $r->headers()['Retry-After'], "$algorithm: Retry-After");
	$short = limiter($algorithm === 'calendar' ? Limit::calendar(1, Period::Minute, 'UTC') : Limit::$algorithm(1, 0.01));
	$time->start(START + 58_995_000);
	[$r] = exhaust($short, 'x');
	between(0.000001, $r->retryAfter, 0.02, "$algorithm: a short wait");
	same('1', $r->headers()['Retry-After'], "$algorithm: Retry-After of a short wait");
	same(false, isset($limiter->peek('y')->headers()['Retry-After']), "$algorithm: no Retry-After when it passed");
}

/* A huge cost locks an identity out for months. */
foreach (ALGORITHMS as $algorithm) {
	$limiter = limiter(limit($algorithm, 10));
	$limiter->consume('x', 16_777_215);
	$limiter->credit('y', 16_777_215);
	same([9, 9], [$limiter->consume('x')->remaining, $limiter->consume('y')->remaining], "$algorithm: after a huge cost, a huge credit");
}
done();
?>
--EXPECT--
done
