--TEST--
Without lease=auto, a machine asks Redis for each decision, however often an identity calls
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
foreach (["", "&lease=off"] as $i => $option) {
	ini_set("ratelimit.store", "unix://$redis->socket?timeout=20000&connect_timeout=20000$option");
	foreach (ways() as $way => $ask) {
		same(2000, asks($redis, function () use ($ask, $way, $i) {
			for ($n = 0; $n < 2000; $n++) {
				same("redis", $ask($i)->store, $way);
			}
		}), "$option, $way: questions");
	}
}
done();
?>
--EXPECT--
done
