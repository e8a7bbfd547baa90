--TEST--
isActionAllowed() never exceeds its limit in any period, and refuses only what would (embedded store)
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\Clock;

/* Against the definition: passes if fewer than max were admitted in (now - period, now]. Times in ms. */
mt_srand(20190101);
foreach ([[1, 1], [2, 1], [5, 3], [100, 60], [30, 10]] as [$max, $period]) {
	Clock::freeze(1_900_000_000);
	$now = 0;
	$admitted = [];
	$wrong = 0;
	for ($call = 0; $call < 3000; $call++) {
		/* Often none at all, so that many calls fall on one instant; sometimes to the very edge of an old one. */
		$step = [0, 0, 1, mt_rand(0, 50), mt_rand(0, (int) ceil(2000 * $period / $max))][mt_rand(0, 4)];
		if ($admitted && mt_rand(0, 5) === 0) {
			$edge = $admitted[mt_rand(0, count($admitted) - 1)] + $period * 1000 - mt_rand(0, 1);
			$step = max(0, $edge - $now);
		}
		if ($step) {
			Clock::advance($step / 1000);
			$now += $step;
		}
		$admitted = array_values(array_filter($admitted, fn ($moment) => $now - $moment < $period * 1000));
		$expected = count($admitted) < $max;
		$wrong += (int) (FrequencyLimit::isActionAllowed(1, "exact$max", $period, $max) !== $expected);
		if ($expected) {
			$admitted[] = $now;
		}
	}
	same(0, $wrong, "$max in $period s: calls that were decided otherwise than by the definition");
}
done();
?>
--EXPECT--
done
