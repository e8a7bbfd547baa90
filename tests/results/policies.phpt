--TEST--
Each Result of several limits lists them all, whatever happens to the other Results and to the Limiter
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';

use FrequencyLimit\{Clock, Limit, Limiter, Period};

Clock::freeze(1_800_000_000);
$policy = fn ($result) => $result->headers()['RateLimit-Policy'];
$of = function (array $limits) use ($policy): array {
	$limiter = new Limiter('policies', $limits);
	$results = [];
	for ($i = 0; $i < 5; $i++) {
		$results[] = $limiter->consume(7);
	}
	same($policy($results[0]), $policy($limiter->peek(7)), 'of a call on the general way');
	unset($results[1], $results[4]);
	$limiter->reset(7);
	return $results;
};

$all = '"minute";q=3;w=60, "day";q=20;w=86400';
foreach ($of(['minute' => Limit::fixedWindow(3, 60), 'day' => Limit::slidingWindow(20, 86400)]) as $i => $result) {
	same($i < 3, $result->accepted, "call $i");
	same($all, $policy($result), "call $i");
	same('minute', $result->name, "call $i");
}

/* The window of a calendar limit is as long as the month. */
$limiter = new Limiter('months', ['month' => Limit::calendar(100, Period::Month, 'UTC'), 'minute' => Limit::fixedWindow(3, 60)]);
foreach (['2027-01-20' => 31, '2027-02-01' => 28] as $day => $days) {
	Clock::freeze(strtotime("$day UTC"));
	same('"month";q=100;w=' . $days * 86400 . ', "minute";q=3;w=60', $policy($limiter->consume(7)), $day);
}

/* A permit with a turn has a wait, too. */
$limiter = new Limiter('turns', ['a' => Limit::fixedWindow(1, 60), 'b' => Limit::tokenBucket(5, 60)]);
same('"a";q=1;w=60, "b";q=5;w=60', $policy($limiter->consume(7)), 'admitted');
$permit = $limiter->acquire(7, maxWait: 100);
same([60.0, '"a";q=1;w=60, "b";q=5;w=60'], [$permit->result->wait, $policy($permit->result)], 'with a turn');
done();
?>
--EXPECT--
done
