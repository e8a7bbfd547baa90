--TEST--
Limits of one algorithm and one period count apart, also over deploys
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'stopped redis'); ?>
--FILE--
<?php
require __DIR__ . '/scenario.inc';

use FrequencyLimit\{Limit, Limiter, Period};

/** Returns a limit of each algorithm. All have one kind: those of buckets have one rate. */
function equal(string $algorithm, int $number): Limit
{
	return $algorithm === 'tokenBucket' ? Limit::tokenBucket(1, 60, $number) : limit($algorithm, $number);
}

/** Returns how many permits of each limit a limiter has left. */
function left(Limiter $limiter, string ...$names): array
{
	$none = array_fill_keys($names, 0);
	return array_map(fn ($name) => $limiter->peek('x', [$name => 1] + $none)->remaining + 1, array_combine($names, $names));
}

/* Two limits of one algorithm and one period count apart, whatever is asked first. */
foreach (ALGORITHMS as $algorithm) {
	$time->start(START);
	$api = limiter(...['requests' => equal($algorithm, 2), 'tokens' => equal($algorithm, 5)]);
	same(true, $api->consume('x', ['requests' => 0, 'tokens' => 5])->accepted, "$algorithm: five tokens");
	same([false, 'tokens'], [($r = $api->consume('x', ['requests' => 0, 'tokens' => 1]))->accepted, $r->name], "$algorithm: no sixth");
	same(true, $api->consume('x', ['requests' => 1, 'tokens' => 0])->accepted, "$algorithm: a request");
	same(true, $api->consume('x', ['requests' => 1, 'tokens' => 0])->accepted, "$algorithm: another one");
	same([false, 'requests'], [($r = $api->consume('x', ['requests' => 1, 'tokens' => 0]))->accepted, $r->name], "$algorithm: no third");
	$api->credit('x', ['requests' => 0, 'tokens' => 3]);
	same([false, true], [$api->peek('x', ['requests' => 1, 'tokens' => 0])->accepted, $api->peek('x', ['requests' => 0, 'tokens' => 3])->accepted],
		"$algorithm: what goes back goes back to its own limit");
	$permit = $api->acquire('x', ['requests' => 0, 'tokens' => 3]);
	$permit->cancel();
	same([false, true], [$api->peek('x', ['requests' => 1, 'tokens' => 0])->accepted, $api->peek('x', ['requests' => 0, 'tokens' => 3])->accepted],
		"$algorithm: a permit, too");
}
$places = limiter(...['few' => Limit::concurrent(1, 60), 'many' => Limit::concurrent(3, 60)]);
same(true, $places->acquire('x', ['few' => 0, 'many' => 2])->result->accepted, 'two of many places');
same(true, ($few = $places->acquire('x', ['few' => 1, 'many' => 1]))->result->accepted, 'one of each');
same([true, true], [$few->release(), $places->peek('x', ['few' => 1, 'many' => 1])->accepted], 'each place comes free where it was');

/* A limit whose ban has reset it takes nothing of its neighbour's. */
foreach (ALGORITHMS as $algorithm) {
	$time->start(START);
	$limiter = limiter(equal($algorithm, 2)->ban(1), equal($algorithm, 4));
	$admitted = 0;
	for ($i = 0; $i < 20; $i++) {
		$admitted += $limiter->consume('x')->accepted;
		$time->advance(500_000);
	}
	same(4, $admitted, "$algorithm: 4 a minute, with a ban beside");
}

/* Deploys: each limit finds its own count. */
foreach (ALGORITHMS as $algorithm) {
	$time->start(START);
	$name = "deploys $algorithm";
	[$a, $b, $c] = [equal($algorithm, 10)->named('a'), equal($algorithm, 20)->named('b'), equal($algorithm, 30)->named('c')];
	(new Limiter($name, [$a, $b]))->consume('x', ['a' => 7, 'b' => 1]);
	same(['a' => 3, 'b' => 19], left(new Limiter($name, [$b, $a]), 'a', 'b'), "$algorithm: another order");
	same(3, (new Limiter($name, $a))->peek('x')->remaining + 1, "$algorithm: one is dropped");
	same(18, (new Limiter($name, $b))->consume('x')->remaining, "$algorithm: the other one is dropped");
	same(['a' => 3, 'b' => 18], left(new Limiter($name, [$a, $b]), 'a', 'b'), "$algorithm: side by side");
	same(['a' => 3, 'b' => 18, 'c' => 30], left(new Limiter($name, [$c, $b, $a]), 'a', 'b', 'c'), "$algorithm: one more");
	same(['a' => 13, 'b' => 18], left(new Limiter($name, [equal($algorithm, 20)->named('a'), $b]), 'a', 'b'), "$algorithm: another number");
	same(['z' => 3, 'b' => 18], left(new Limiter($name, [$b, equal($algorithm, 10)->named('z')]), 'z', 'b'), "$algorithm: another name");
	(new Limiter($name, [equal($algorithm, 10)->named('z'), $b]))->consume('x', ['z' => 2, 'b' => 0]);
	same(['a' => 1, 'b' => 18], left(new Limiter($name, [$a, $b]), 'a', 'b'), "$algorithm: its old name, side by side");
	/* Two new names: neither is told apart. Both have the fullest. */
	same(['x' => 1, 'y' => 1], left(new Limiter($name, [equal($algorithm, 10)->named('x'), equal($algorithm, 10)->named('y')]), 'x', 'y'), "$algorithm: two new names");

	/* A limiter of one limit gets a neighbour: both count what there was. */
	$one = new Limiter("one $algorithm", equal($algorithm, 10)->named('a'));
	$one->consume('x', 4);
	$two = new Limiter("one $algorithm", [$a, $b]);
	same(['a' => 6, 'b' => 16], left($two, 'a', 'b'), "$algorithm: a neighbour");
	$two->consume('x', ['a' => 1, 'b' => 3]);
	same(4, $one->consume('x')->remaining, "$algorithm: a neighbour, side by side");
	same(['a' => 4, 'b' => 13], left($two, 'a', 'b'), "$algorithm: and back");
}

/* Limits without names are told apart by their numbers, and calendars also by their zones. */
foreach (ALGORITHMS as $algorithm) {
	$time->start(START);
	$name = "numbers $algorithm";
	$few = equal($algorithm, 2)->ban(1);
	$many = equal($algorithm, 6);
	for ($i = 0; $i < 3; $i++) {
		(new Limiter($name, [$few, $many]))->consume('x');
	}
	$time->advance(1_000_000);
	(new Limiter($name, [$many, $few]))->consume('x');
	same(2, (new Limiter($name, $many))->consume('x')->remaining, "$algorithm: two orders, then one");
}
$time->start(START);
[$here, $there] = [Limit::calendar(5, Period::Day, 'UTC'), Limit::calendar(5, Period::Day, 'Asia/Kathmandu')];
(new Limiter('days', [$here, $there]))->consume('x', 3);
$time->advance((int) ((new Limiter('days', $there))->peek('x')->resetAfter * 1e6));
same(1, (new Limiter('days', [$there, $here]))->consume('x')->remaining, 'two days, of which one has ended, in another order');
same([0, 3], [(new Limiter('days', $here))->peek('x')->remaining, (new Limiter('days', $there))->peek('x')->remaining], 'each day alone');

/* A changed period: a name finds its limit state; of an algorithm with several limits, a number does not. */
$time->start(START);
(new Limiter('periods', [Limit::fixedWindow(10, 60)->named('a'), Limit::fixedWindow(100, 3600)->named('b')]))->consume('x', 4);
same([10, 5], array_slice(facts((new Limiter('periods', [Limit::fixedWindow(100, 3600)->named('b'), Limit::fixedWindow(10, 600)->named('a')]))->consume('x')), 1, 2), 'a name, another period');
$time->advance(60_000_000);
same(4, (new Limiter('periods', Limit::fixedWindow(5, 60)->named('c')))->consume('x')->remaining, 'no count of an hour for another limit');
done();
?>
--EXPECT--
done
