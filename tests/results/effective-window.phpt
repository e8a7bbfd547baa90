--TEST--
The t of RateLimit is the time until more can be used, and shadow limits are in no header
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{Clock, Limit, Limiter, Period, Reason, Result};

Clock::freeze(1_900_000_000);
$number = 0;
/** Returns the state in the headers of a limiter's latest answer, after calls of these costs. */
$state = function (Limit $limit, int ...$costs) use (&$number): ?string {
	$limiter = new Limiter('l' . $number++, $limit);
	$result = null;
	foreach ($costs as $cost) {
		$result = $limiter->consume(1, $cost);
	}
	return $result->headers()['RateLimit'] ?? null;
};
same('"default";r=7;t=60', $state(Limit::fixedWindow(10, 60), 3), 'a window gives all back at its end');
same('"default";r=0;t=60', $state(Limit::fixedWindow(10, 60), 3, 7), 'and so when it is used up');
same('"default";r=3;t=800', $state(Limit::calendar(10, Period::Hour, 'UTC'), 7), 'a calendar window, too');
same('"default";r=9;t=6', $state(Limit::tokenBucket(10, 60), 1), 'a bucket gives its permits back one by one');
same('"default";r=2;t=6', $state(Limit::tokenBucket(10, 60), 3, 5), 'also where many are missing');
same('"default";r=0;t=6', $state(Limit::tokenBucket(10, 60), 10), 'and where none is left');
same('"default";r=0;t=60, "default-2";r=0;t=3600', (new Limiter('two', [Limit::fixedWindow(1, 60), Limit::fixedWindow(1, 3600)]))->consume(1)->headers()['RateLimit'], 'of one limit beside a longer one');
same('"default";r=47;t=1', $state(Limit::tokenBucket(10, 1, burst: 50), 3), 'with a burst');
same('"default";r=2;t=18', $state(Limit::tokenBucket(10, 60), 8, 5), 'a refusal: until this call passes');
$bucket = new Limiter('bucket', Limit::tokenBucket(10, 60));
$bucket->consume(1, 5);
Clock::advance(4);
same('"default";r=5;t=2', $bucket->peek(1, 0)->headers()['RateLimit'], 'on the way to the next permit');
same('"default";r=10;t=0', $bucket->peek(2, 0)->headers()['RateLimit'], 'a whole bucket');
$log = new Limiter('log', Limit::slidingLog(2, 60));
$log->consume(1);
Clock::advance(20);
same(['"default";r=0;t=40', 40.0, 60.0], [($result = $log->consume(1))->headers()['RateLimit'], $result->nextAfter, $result->resetAfter], 'a log that is full: until its first call is over');

/* Nothing of a shadow. */
$quiet = fn (Result $result): array => [$result->headers(legacy: true), $result->accepted];
$shadow = new Limiter('shadow', Limit::fixedWindow(1, 60)->shadow());
same([[[], true], [[], true]], [$quiet($shadow->consume(1)), $quiet($shadow->consume(1))], 'shadows alone');
$both = new Limiter('both', [Limit::fixedWindow(5, 60), Limit::fixedWindow(1, 60)->named('new')->shadow()]);
$both->consume(1);
same('"default";q=5;w=60', $both->consume(1)->headers()['RateLimit-Policy'], 'a shadow beside an enforced limit');
ini_set('ratelimit.enforce', '0');
same([[], true], $quiet($both->consume(1)), 'enforce=0');
same([[], true], $quiet(FrequencyLimit::check('a', 1, 60, 1)), 'of an action');
same([[], true], $quiet($bucket->acquire(1, 50)->result), 'of a permit');
ini_set('ratelimit.enforce', '1');
same(['RateLimit-Policy', 'RateLimit', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'], array_keys($both->consume(1)->headers(legacy: true)), 'enforced again');
done();
?>
--EXPECT--
done
