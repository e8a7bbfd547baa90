--TEST--
Known mistakes: a refusal charges none of several limits, and reports the one that refused
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'stopped redis'); ?>
--FILE--
<?php
/* Known mistakes of other limiters: several limits in one. */
require __DIR__ . '/../conformance/scenario.inc';

use FrequencyLimit\{Limit, Limiter};

/* A refusal of one limit is charged to the others: checked for each limit in each position. */
foreach (ALGORITHMS as $refusing) {
	for ($place = 0; $place < 5; $place++) {
		$limits = array_map(fn ($algorithm) => limit($algorithm, 10), ALGORITHMS);
		$limits[$place] = limit($refusing, 1)->named('refuses');
		$limiter = new Limiter("charged $refusing $place", $limits);
		$limiter->consume('x');
		for ($i = 0; $i < 15; $i++) {
			same('refuses', $limiter->consume('x')->name, "$refusing in place $place");
		}
		unset($limits[$place]);
		same(8, (new Limiter("charged $refusing $place", $limits))->consume('x')->remaining, "$refusing in place $place: the others");
	}
}

/* The wrong limit is reported: an accepting one with nothing remaining instead of the refusing one. */
$limiter = limiter(Limit::fixedWindow(2, 60)->named('first'), Limit::tokenBucket(3, 60, 3)->named('second'));
same('first', $limiter->consume('x', 2)->name, 'the tightest of the accepted');
$limiter->credit('x', 2);
$limiter = limiter(Limit::fixedWindow(2, 60)->named('first'), Limit::slidingLog(1, 60)->named('second'));
same(['too_expensive', 'second'], [($r = $limiter->consume('x', 2))->reason->value, $r->name], 'the one that can never');
$limiter->consume('x');
same(['limited', 'second', 0], [($r = $limiter->consume('x'))->reason->value, $r->name, $r->remaining], 'the one that refused');
/* Both refuse: the one with the longer wait is reported. */
$limiter = limiter(Limit::fixedWindow(1, 10)->named('short'), Limit::fixedWindow(1, 100)->named('long'));
$limiter->consume('x');
same(['long', 100.0], [($r = $limiter->consume('x'))->name, $r->retryAfter], 'both refuse');

/* Two limits of one identity share a key, and nothing ever passes: one a second, and 30 a minute. */
foreach (array_diff(ALGORITHMS, ['calendar']) as $algorithm) {
	$time->start(START);
	$minute = $algorithm === 'tokenBucket' ? Limit::tokenBucket(30, 60, 5) : Limit::$algorithm(30, 60);
	$limiter = limiter(Limit::$algorithm(1, 1), $minute);
	$passed = 0;
	for ($i = 0; $i < 100; $i++) {
		$passed += $limiter->consume('x')->accepted ? 1 : 0;
		$time->advance(550_000);
	}
	/* Every second call is 1.1 s after the last admission: 50 would pass the first limit. A bucket of five that refills
	 * one in two seconds has admitted 32 by then. */
	same($algorithm === 'tokenBucket' ? 32 : 30, $passed, "$algorithm: passed in 55 s");
	same(false, $limiter->consume('x')->accepted && $limiter->consume('x')->accepted, "$algorithm: two at once");
}
done();
?>
--EXPECT--
done
