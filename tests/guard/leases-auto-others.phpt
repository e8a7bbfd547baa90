--TEST--
Logs, small limits, several limits with a bucket, and each call but a plain consume, ask Redis each time
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
use FrequencyLimit\{Limit, Limiter, Period, Reason};

$redis = redis_with_auto_leases();
$window = Limit::fixedWindow(LARGE, 3600);
foreach ([
	"a log" => Limit::slidingLog(10_000, 3600), "a short sliding window" => Limit::slidingWindow(LARGE, 2),
	"a bucket of 0.2 seconds" => Limit::tokenBucket(LARGE, 0.2), "several with a small one" => [$window, Limit::fixedWindow(999, 3600)],
	"several with a bucket" => [$window, Limit::tokenBucket(2000, 60)],
] as $name => $limits) {
	foreach (["" => $limits, " leased()" => is_array($limits) ? [$limits[0]->leased(), $limits[1]] : $limits->leased()] as $how => $limits) {
		$limiter = new Limiter("$name$how", $limits);
		same(900, asks($redis, function () use ($limiter) {
			for ($i = 0; $i < 900; $i++) {
				same("redis", $limiter->consume("x")->store, "store");
			}
		}), "$name$how");
	}
}
$limiter = new Limiter("window", $window);
until_leased(fn () => $limiter->consume("x"));
same("redis", $limiter->consume("x", leave: 1)->store, "leave");
same("redis", $limiter->consume("x", 2, atLeast: 1)->store, "atLeast");
same("redis", ($permit = $limiter->acquire("x"))->result->store, "acquire");
same(["redis", null], [$permit->settle(0)->store, $permit->settle(0)], "settle, once");
done();
?>
--EXPECT--
done
