--TEST--
peek() returns the decision of consume() or check(), by the batch where there is one, and takes nothing
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
foreach ([[fn () => $limiter->consume(1), fn () => $limiter->peek(1)],
	[fn () => FrequencyLimit::check("auto", 1, 3600, LARGE), fn () => FrequencyLimit::peek("auto", 1, 3600, LARGE)]] as [$ask, $peek]) {
	same(["redis", LARGE - 1], [($r = $peek())->store, $r->remaining], "without a batch");
	$tries = 0;
	do {
		until_leased($ask);
		$leased = FrequencyLimit\Monitor::stats()['leased'];
		[$seen, $again, $next] = [$peek(), $peek(), $ask()];
		/* A batch may end between two of these calls. */
	} while (($next->store !== "lease" || $seen->store !== "lease" || $again->store !== "lease") && $tries++ < 50);
	same(["lease", "lease", "lease"], [$seen->store, $again->store, $next->store], "with a batch");
	same([$next->remaining, $next->remaining], [$seen->remaining, $again->remaining], "what remains of it");
	same($leased + 1, FrequencyLimit\Monitor::stats()['leased'], "a peek is no decision");
}
done();
?>
--EXPECT--
done
