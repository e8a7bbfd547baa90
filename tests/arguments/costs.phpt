--TEST--
A bad cost for each limit is an InvalidArgument that names it, and changes nothing
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{Clock, InvalidArgument, Limit, Limiter, Period};
Clock::freeze(1_900_000_000);

$limiter = new Limiter('costs', ['requests' => Limit::slidingLog(10, 60), 'tokens' => Limit::calendar(1_000_000_000_000, Period::Month)]);
$half = new Limiter('half', [Limit::fixedWindow(10, 60)->named('named'), Limit::fixedWindow(10, 60)]);
$one = new Limiter('one', ['7' => Limit::slidingLog(10, 60)->named('7')]);
$limiter->consume('x', ['requests' => 2, 'tokens' => 500_000_000_000]);
$held = $limiter->acquire('x', ['requests' => 1, 'tokens' => 5]);
$state = fn () => array_map(fn ($cost) => $limiter->peek('x', $cost)->remaining, [['requests' => 1, 'tokens' => 0], ['requests' => 0, 'tokens' => 1]]);
$before = [$state(), FrequencyLimit\Monitor::stats()['decisions']];
same([[6, 499_999_999_994], 2], $before, 'the state');

$calls = [
	'consume' => fn ($cost) => $limiter->consume('x', $cost),
	'allow' => fn ($cost) => $limiter->allow('x', $cost),
	'acquire' => fn ($cost) => $limiter->acquire('x', $cost),
	'peek' => fn ($cost) => $limiter->peek('x', $cost),
	'credit' => fn ($cost) => $limiter->credit('x', $cost),
	'consumeMany' => fn ($cost) => $limiter->consumeMany(['x', 'y'], $cost),
	'reserve' => fn ($cost) => $limiter->reserve('x', 1_900_000_100, $cost),
	'cancel' => fn ($cost) => $limiter->cancel('x', 1_900_000_100, $cost),
	'settle' => fn ($cost) => $held->settle($cost),
];
$bad = fn (array $parts, callable $call, string $what) => throws(InvalidArgument::class, ['非法参数', ...$parts], $call, $what);
foreach ($calls as $method => $call) {
	$bad(["'x'", 'none'], fn () => $call(['requests' => 1, 'tokens' => 1, 'x' => 1]), "$method: a name that is none");
	$bad(["'0'"], fn () => $call([1, 2]), "$method: a list");
	$bad(["'tokens'"], fn () => $call(['requests' => 1]), "$method: a limit left out");
	$bad(["'requests'"], fn () => $call([]), "$method: no limit");
	$bad(["\$cost['tokens']", 'an int', 'string given'], fn () => $call(['requests' => 1, 'tokens' => '1']), "$method: a string");
	$bad(["\$cost['tokens']", 'an int', 'float given'], fn () => $call(['requests' => 1, 'tokens' => 1.0]), "$method: a float");
	$bad(["\$cost['tokens']", 'an int', 'null given'], fn () => $call(['requests' => 1, 'tokens' => null]), "$method: null");
	$bad(["\$cost['tokens']", 'between 0 and 1000000000000', '-1 given'], fn () => $call(['requests' => 1, 'tokens' => -1]), "$method: -1");
	$bad(["\$cost['tokens']", '1000000000001 given'], fn () => $call(['requests' => 1, 'tokens' => 1_000_000_000_001]), "$method: a large cost");
	$bad(['$cost', '1000000000001 given'], fn () => $call(1_000_000_000_001), "$method: one large cost");
	throws(TypeError::class, ['array|int'], fn () => $call('many'), "$method: a string for all");
	if ($method !== 'settle' && $method !== 'peek') {
		$bad(['above 0'], fn () => $call(['requests' => 0, 'tokens' => 0]), "$method: only zeros");
	}
}
$bad(['position 1'], fn () => $half->consume('x', ['named' => 1]), 'a limit without a name');
$bad(['$atLeast', 'null'], fn () => $limiter->consume('x', ['requests' => 2, 'tokens' => 1], atLeast: 1), 'atLeast with costs');
$bad(['different names', "'a'"], fn () => new Limiter('x', [Limit::fixedWindow(1, 1)->named('a'), Limit::fixedWindow(2, 1)->named('a')]), 'two limits of one name');
same($before, [$state(), FrequencyLimit\Monitor::stats()['decisions']], 'nothing changed');

/* What is good. */
same(json_encode($limiter->peek('x', 0)), json_encode($limiter->peek('x', ['requests' => 0, 'tokens' => 0])), 'a peek with only zeros is one with a cost of 0');
$tokens = 1;
same(true, $limiter->consume('y', ['tokens' => &$tokens, 'requests' => 1])->accepted, 'any order, and a reference');
same(3, $one->consume('x', ['7' => 3])->granted, 'a name of digits');
same([true, 0], (fn ($result) => [$result->accepted, $result->granted])($held->settle(['requests' => 0, 'tokens' => 0])), 'a permit that cost nothing');
same([7, 499_999_999_999], $state(), 'all of it went back');

/* The bounds of a limit. */
foreach (['fixedWindow', 'slidingWindow', 'tokenBucket'] as $make) {
	$limit = Limit::$make(1_000_000_000_000, 60);
	$bad(['between 1 and 1000000000000', '1000000000001 given'], fn () => Limit::$make(1_000_000_000_001, 60), "$make: a large limit");
	$large = new Limiter("large $make", $limit);
	same([true, 1], (fn ($result) => [$result->accepted, $result->remaining])($large->consume('x', 999_999_999_999)), "$make: almost all");
	same([false, 1], (fn ($result) => [$result->accepted, $result->remaining])($large->consume('x', 2)), "$make: one too many");
	same([true, 0], (fn ($result) => [$result->accepted, $result->remaining])($large->consume('x')), "$make: the last one");
	same(false, $large->allow('x'), "$make: none is left");
}
foreach (['slidingLog', 'concurrent'] as $make) {
	$bad(['between 1 and 10000', '10001 given'], fn () => Limit::$make(10_001, 60), "$make: 10,001");
}
$bad(['16777215', '16777216 given'], fn () => FrequencyLimit::check('a', 1, 60, 16_777_216), 'the counter');
done();
?>
--EXPECT--
done
