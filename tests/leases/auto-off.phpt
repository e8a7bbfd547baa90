--TEST--
Without ratelimit.lease, a machine asks Redis for each decision, however often an identity calls
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/auto.inc';
use FrequencyLimit\{Limit, Limiter, Period, Reason};

$redis = redis_with_auto_leases();
same("off", ini_get_all("ratelimit")["ratelimit.lease"]["global_value"], "the default");
store_options(lease: "off");
foreach (ways() as $way => $ask) {
	same(2000, asks($redis, function () use ($ask, $way) {
		for ($i = 0; $i < 2000; $i++) {
			same("redis", $ask(1)->store, $way);
		}
	}), "$way: questions");
}
done();
?>
--EXPECT--
done
