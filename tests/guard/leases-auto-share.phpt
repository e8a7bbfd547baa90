--TEST--
A batch is at most an eighth of what is left, all permits are given, and none more
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
foreach (ways(3000) as $way => $ask) {
	$admitted = 0;
	$counted = 0;
	do {
		$r = $ask(1);
		if ($r->store === "redis" && $r->accepted) {
			$now = $way === "counter" ? (int) $redis("GET", "act:limit:auto:1") : 3000 - $r->remaining;
			$batch = $way === "counter" ? $now - $counted - 1 : 0;
			ok($batch <= intdiv(3000 - $counted - 1, 8), "$way: a batch of $batch with " . (3000 - $counted) . " left");
			$counted = $now;
		}
		$admitted += $r->accepted;
	} while ($r->accepted);
	same([3000, Reason::Limited], [$admitted, $r->reason], "$way: admitted");
}
done();
?>
--EXPECT--
done
