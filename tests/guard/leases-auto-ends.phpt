--TEST--
A batch ends within a second; that of a sliding window with its sub-window, that of a bucket after a 16th of its filling
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/leases-auto.inc';
use FrequencyLimit\{Limit, Limiter, Period};

$redis = redis_with_auto_leases();
$asks = ['counter' => [fn () => FrequencyLimit::check('auto', 1, 3600, LARGE), 1]];
foreach ([
	'window' => [Limit::fixedWindow(LARGE, 3600), 1], 'short window' => [Limit::fixedWindow(LARGE, 0.5), 0.5],
	'calendar' => [Limit::calendar(LARGE, Period::Year), 1], 'sliding window' => [Limit::slidingWindow(LARGE, 3), 0.1],
	'long sliding window' => [Limit::slidingWindow(LARGE, 600), 1], 'bucket' => [Limit::tokenBucket(LARGE, 1), 1 / 16],
	'slow bucket' => [Limit::tokenBucket(1000, 3600), 1],
] as $name => [$limit, $end]) {
	$limiter = new Limiter($name, $limit);
	$asks[$name] = [fn () => $limiter->consume(1), $end];
}
foreach ($asks as $name => [$ask, $end]) {
	for ($i = 0; $i < 5; $i++) {
		do {
			$r = $ask();
		} while ($r->store !== 'lease');
		ok($r->resetAfter < $end, "$name: a batch ends after $r->resetAfter s");
	}
}
done();
?>
--EXPECT--
done
