--TEST--
A cost above the limit is TooExpensive, writes nothing and starts no ban, for every algorithm
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'stopped redis'); ?>
--FILE--
<?php
require __DIR__ . '/scenario.inc';

use FrequencyLimit\{Limit, Reason};

foreach (ALGORITHMS as $algorithm) {
	$limiter = limiter(limit($algorithm, 10)->ban(60));
	foreach ([11, 100, 16_777_215] as $cost) {
		$r = $limiter->consume('x', $cost);
		same(['too_expensive', 10, 10, null, 0.0, null], facts($r), "$algorithm, $cost of 10");
		same(false, $r->accepted, "$algorithm, $cost of 10");
	}
	same(false, $limiter->reset('x'), "$algorithm: nothing was written");
	if (redis()) {
		same(0, redis()('DBSIZE'), "$algorithm: no key");
	}
	same(true, $limiter->consume('x', 10)->accepted, "$algorithm: all of it is left");
	/* It starts no ban, and it is no part of one. */
	same(Reason::TooExpensive, $limiter->consume('x', 11)->reason, "$algorithm, used up");
	same(Reason::Banned, $limiter->consume('x', 10)->reason, "$algorithm, banned");
	same(Reason::TooExpensive, $limiter->consume('x', 11)->reason, "$algorithm, in a ban");
	$limiter->reset('x');
}
/* The first limit with a too small number decides, before an exhausted limit. */
$limiter = limiter(Limit::fixedWindow(100, 60)->named('a'), Limit::slidingLog(5, 60)->named('b'), Limit::fixedWindow(3, 60)->named('c'));
$limiter->consume('x', 3);
same(['too_expensive', 5, 2, null, 60.0, 'b'], facts($limiter->consume('x', 6)), 'several');
same(['too_expensive', 3, 0, null, 60.0, 'c'], facts($limiter->consume('x', 4)), 'several, the last');
same(['limited', 3, 0, 60.0, 60.0, 'c'], facts($limiter->consume('x', 1)), 'several, used up');
done();
?>
--EXPECT--
done
