--TEST--
An identity that calls all the time asks Redis for at most 5 in 100 decisions, with a limit of a million
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
$ways = ways();
$leased = new Limiter("by method", Limit::calendar(LARGE, Period::Year, "UTC")->leased());
foreach ($ways + ["leased()" => fn (int $id) => $leased->consume($id)] as $way => $ask) {
	store_options(lease: $way === "leased()" ? "off" : "auto");
	until_leased(fn () => $ask(1));
	/* The measure has reached the true rate. */
	for ($i = 0; $i < 20_000; $i++) {
		$ask(1);
	}
	$before = FrequencyLimit\Monitor::stats()["leased"];
	$questions = asks($redis, function () use ($ask, $way) {
		for ($i = 0; $i < 40_000; $i++) {
			if (!$ask(1)->accepted) {
				throw new \Exception("$way: refused");
			}
		}
	});
	ok($questions <= 2000, "$way: $questions questions for 40,000 decisions");
	same(40_000 - $questions, FrequencyLimit\Monitor::stats()["leased"] - $before, "$way: stats() count the others");
}
store_options(lease: "auto");
$questions = asks($redis, function () {
	for ($i = 0; $i < 40_000; $i++) {
		FrequencyLimit::doHandle("auto", 1, 3600, LARGE);
	}
});
ok($questions <= 2000, "doHandle(): $questions questions for 40,000 decisions");
done();
?>
--EXPECT--
done
