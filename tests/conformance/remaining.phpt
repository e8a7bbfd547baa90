--TEST--
remaining is correct for every algorithm, and for token buckets of every rate
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'stopped redis'); ?>
--FILE--
<?php
require __DIR__ . '/scenario.inc';

use FrequencyLimit\Limit;

/* For every rate from 1 to 1000 in a second, a minute, an hour: after k permits, burst - k are left. */
foreach ([1, 60, 3600] as $seconds) {
	for ($rate = 1; $rate <= 1000; $rate++) {
		$limiter = limiter(Limit::tokenBucket($rate, $seconds));
		$used = 0;
		foreach ($rate <= 12 ? array_fill(0, $rate, 1) : [1, 1, 1, intdiv($rate, 3), 1, $rate - intdiv($rate, 3) - 5, 1] as $cost) {
			if ($cost < 1) {
				continue;
			}
			$used += $cost;
			$r = $limiter->consume('x', $cost);
			if (!$r->accepted || $r->remaining !== $rate - $used) {
				failed("rate $rate in $seconds s, $used used: {$r->reason->value}, $r->remaining left");
			}
		}
		/* A permit returns on time, and not earlier. */
		$r = $limiter->consume('x', $rate);
		if ($r->accepted || $r->remaining !== $rate - $used || abs($r->retryAfter - $seconds * $used / $rate) > 0.000001) {
			failed("rate $rate in $seconds s: {$r->reason->value}, $r->remaining left, $r->retryAfter s");
		}
	}
}

/* Every algorithm counts down from its number to 0, in remaining. */
foreach (ALGORITHMS as $algorithm) {
	$limiter = limiter(limit($algorithm, 25)->named('the one'));
	for ($left = 24; $left >= 0; $left--) {
		$peek = $limiter->peek('x');
		$r = $limiter->consume('x');
		same([true, 25, $left, 0.0, 'the one'], [$r->accepted, $r->limit, $r->remaining, $r->retryAfter, $r->name], $algorithm);
		same(facts($peek), facts($r), "$algorithm: peek told it before");
	}
	same([false, 0], [$limiter->consume('x')->accepted, $limiter->peek('x')->remaining], "$algorithm: used up");
}
done();
?>
--EXPECT--
done
