--TEST--
Each bad argument and combination of permits is an InvalidArgument with its name, value and bound, and changes nothing
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{InvalidArgument, Limit, Limiter, Period};

$bad = fn (array $parts, callable $call, string $what) => throws(InvalidArgument::class, ['非法参数', ...$parts], $call, $what);
$limiter = new Limiter('arguments', Limit::fixedWindow(10, 60));
$places = new Limiter('places', Limit::concurrent(2, 60));

foreach (['consume', 'acquire'] as $method) {
	$bad(['$cost', 'between 1 and 1000000000000', '0 given'], fn () => $limiter->$method('x', 0), "$method: cost 0");
	$bad(['$cost', '1000000000001 given'], fn () => $limiter->$method('x', 1_000_000_000_001), "$method: a large cost");
	$bad(['$leave', 'between 0 and 1000000000000', '-1 given'], fn () => $limiter->$method('x', leave: -1), "$method: leave -1");
	$bad(['$leave', '1000000000001 given'], fn () => $limiter->$method('x', leave: 1_000_000_000_001), "$method: a large leave");
	$bad(['$atLeast', 'between 1 and 3', '0 given'], fn () => $limiter->$method('x', 3, atLeast: 0), "$method: atLeast 0");
	$bad(['$atLeast', 'between 1 and 3', '4 given'], fn () => $limiter->$method('x', 3, atLeast: 4), "$method: atLeast above the cost");
	$bad(['$id', 'between 1 and 255 bytes'], fn () => $limiter->$method(''), "$method: no identity");
	throws(TypeError::class, ['Argument #1'], fn () => $limiter->$method(1.5), "$method: a float as identity");
	same(true, $limiter->$method('x', 1_000_000_000_000, leave: 1_000_000_000_000) !== null, "$method: the largest numbers");
}
foreach ([-1, -0.5, 315_360_001, INF, -INF, NAN, PHP_INT_MAX] as $wait) {
	$bad(['$maxWait', 'between 0 and 315360000 seconds', is_nan((float) $wait) ? 'NAN' : (string) $wait . ' given'], fn () => $limiter->acquire('x', maxWait: $wait), 'maxWait ' . var_export($wait, true));
}
foreach ([0, 0.0, -0.0, 0.000001, 315_360_000, 315_360_000.0] as $wait) {
	same(true, $limiter->acquire('y', maxWait: $wait)->cancel(), "maxWait $wait");
}
$bad(['$atLeast', 'null with $maxWait above 0', '1 given'], fn () => $limiter->acquire('x', 2, 1, atLeast: 1), 'atLeast with maxWait');
throws(TypeError::class, ['Argument #3 ($maxWait)'], fn () => $limiter->acquire('x', 1, 'soon'), 'a string as maxWait');

/* Only acquire() takes the place of a concurrent limit. */
$both = new Limiter('both', [Limit::fixedWindow(5, 60), Limit::concurrent(2, 60)]);
foreach (['consume' => ['x'], 'allow' => ['x'], 'consumeMany' => [['x']]] as $method => $arguments) {
	$bad(['$limits', "$method()", 'position 0', 'acquire()'], fn () => $places->$method(...$arguments), "$method() with places");
	$bad(['position 1'], fn () => $both->$method(...$arguments), "$method(): the second limit");
}
foreach (['reserve', 'cancel'] as $method) {
	$bad(['$limits', $method], fn () => $places->$method('x', time() + 1), "$method() with places");
}
same([true, 2], [$both->acquire('x', 2)->result->accepted, $both->acquire('x', 2)->result->granted], 'nothing was counted');
$bad(['$limit', 'between 1 and 10000', '0 given'], fn () => Limit::concurrent(0, 60), 'no place');
$bad(['$limit', '10001 given'], fn () => Limit::concurrent(10_001, 60), 'too many places');
$bad(['$seconds', '0 given'], fn () => Limit::concurrent(1, 0), 'no time');
$bad(['$seconds', '315360001 given'], fn () => Limit::concurrent(1, 315_360_001), 'a long time');
$bad(['$end', 'concurrent', '5 given'], fn () => Limit::concurrent(1, 60)->ban(5), 'ban()');
$bad(['$end', 'concurrent', 'Period given'], fn () => Limit::concurrent(1, 60)->ban(Period::Day), 'ban() until a period');
same(true, $places->acquire('most', 3)->result->retryAfter === null, 'a cost above the places never passes');

/* A permit keeps its state when an argument is bad. */
$permit = $places->acquire('x');
$bad(['$cost', 'between 0 and 1000000000000', '-1 given'], fn () => $permit->settle(-1), 'settle(-1)');
$bad(['$cost', '1000000000001 given'], fn () => $permit->settle(1_000_000_000_001), 'a large true cost');
throws(TypeError::class, ['Argument #1 ($cost)'], fn () => $permit->settle('much'), 'a string as cost');
foreach ([0, 0.0001, -1, 315_360_001, NAN, INF] as $seconds) {
	$bad(['$seconds', 'between 0.001 and 315360000 seconds'], fn () => $permit->renew($seconds), 'renew(' . var_export($seconds, true) . ')');
}
same([true, true, true, true], [$permit->renew(0.001 + 60), $permit->renew(315_360_000), $permit->renew(null), $permit->release()], 'it is live');
$bad(['$cost'], fn () => $permit->settle(-1), 'a bad argument is an error after the end, too');
$bad(['$seconds'], fn () => $permit->renew(0), 'of renew(), too');
same(false, (new Limiter('none', Limit::fixedWindow(1, 60)))->acquire('x')->renew(), 'renew() without places');
done();
?>
--EXPECT--
done
