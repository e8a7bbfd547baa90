--TEST--
An identity that calls once takes no permit ahead, nor does any identity of a limit below 1,000
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
foreach (ways() as $way => $ask) {
	same(300, asks($redis, function () use ($ask, $way) {
		for ($id = 1; $id <= 300; $id++) {
			same([LARGE - 1, "redis"], [($r = $ask($id))->remaining, $r->store], "$way: identity $id");
		}
	}), "$way: questions");
	for ($id = 1; $id <= 300; $id++) {
		same(LARGE - 2, $way === "counter" ? FrequencyLimit::peek("auto", $id, 3600, LARGE)->remaining
			: (new Limiter("auto", Limit::fixedWindow(LARGE, 3600)))->peek($id)->remaining, "$way: a second call would leave one less");
	}
}
foreach (ways(999) as $way => $ask) {
	same(999, asks($redis, function () use ($ask, $way) {
		for ($i = 0; $i < 999; $i++) {
			same("redis", $ask(1000)->store, "$way: a small limit");
		}
	}), "$way: questions of a small limit");
}
done();
?>
--EXPECT--
done
