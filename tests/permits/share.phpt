--TEST--
leave keeps a share, atLeast takes a part, allow() returns a bool; Result::$granted has the cost that was counted
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
use FrequencyLimit\{Limit, Limiter, Reason};

test_store('embedded');
foreach (['consume' => fn ($l, ...$a) => $l->consume(...$a), 'acquire' => fn ($l, ...$a) => $l->acquire(...$a)->result] as $name => $take) {
	$limiter = new Limiter($name, Limit::fixedWindow(10, 60));
	same([true, 4, 6], [($r = $take($limiter, 'x', 4, leave: 6))->accepted, $r->granted, $r->remaining], "$name: six remain");
	same([false, Reason::Limited, 0, 6], [($r = $take($limiter, 'x', leave: 6))->accepted, $r->reason, $r->granted, $r->remaining], "$name: fewer would remain");
	same(true, $take($limiter, 'x', leave: 5)->accepted, "$name: a smaller share");
	same([true, 5, 0], [($r = $take($limiter, 'x', 9, atLeast: 2))->accepted, $r->granted, $r->remaining], "$name: a part");
	same([false, 0], [($r = $take($limiter, 'x', 9, atLeast: 1))->accepted, $r->granted], "$name: no part is left");
	same(Reason::TooExpensive, $take($limiter, 'y', 8, leave: 3)->reason, "$name: a share that never remains");
	same([true, 7], [($r = $take($limiter, 'y', 8, leave: 3, atLeast: 1))->accepted, $r->granted], "$name: a part beside a share");
}
$limiter = new Limiter('allow', Limit::fixedWindow(3, 60));
same([true, false, true, false], [$limiter->allow('x', 2), $limiter->allow('x', 2), $limiter->allow('x'), $limiter->allow('x')], 'allow()');

/* A partial permit gives back what it was granted. */
$limiter = new Limiter('partial', Limit::slidingLog(10, 60));
$limiter->consume('x', 7);
$part = $limiter->acquire('x', 9, atLeast: 1);
same(3, $part->result->granted, 'granted');
$part->cancel();
same(2, $limiter->peek('x')->remaining, 'three went back');

/* The other results have it, too. */
same([1, 0.0, 0], [($r = FrequencyLimit::check('granted', 1, 60, 1))->granted, $r->wait, FrequencyLimit::check('granted', 1, 60, 1)->granted], 'check()');
same([2, 0], [$limiter->peek('y', 2)->granted, $limiter->peek('y', 11)->granted], 'peek()');
same([3, 3], array_column(array_map('get_object_vars', $limiter->consumeMany(['a', 'b'], 3)), 'granted'), 'consumeMany()');
same(2, $limiter->reserve('z', 1_900_000_100, 2)->granted ?? null, 'reserve()');
done();
?>
--EXPECT--
done
