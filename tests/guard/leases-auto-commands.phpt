--TEST--
reset, ban, unban and credit end a batch at once on the machine that does them
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
$limiter = new Limiter("auto", Limit::fixedWindow(LARGE, 3600));
$ask = fn () => $limiter->consume(1);
foreach (["reset" => fn () => $limiter->reset(1), "credit" => fn () => $limiter->credit(1, 5)] as $name => $command) {
	until_leased($ask);
	$command();
	same("redis", $ask()->store, "$name: the next call asks Redis");
}
until_leased($ask);
$limiter->ban(1, 600);
same(Reason::Banned, $ask()->reason, "a ban holds at once");
$limiter->unban(1);
same([true, "redis"], [($r = $ask())->accepted, $r->store], "after an unban");
$ask = fn () => FrequencyLimit::check("auto", 1, 3600, LARGE);
until_leased($ask);
same(true, FrequencyLimit::reset("auto", 1), "reset of a counter");
same(["redis", LARGE - 1], [($r = $ask())->store, $r->remaining], "the next call asks Redis");
until_leased($ask);
FrequencyLimit::ban("auto", 1, 600);
same(Reason::Banned, $ask()->reason, "a ban of a counter holds at once");
done();
?>
--EXPECT--
done
