--TEST--
Several large windows are leased together: a batch counts in each of them, and the ban of one begins at its end
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
$limiter = new Limiter('several', ['hour' => Limit::fixedWindow(20_000, 3600)->ban(600), 'year' => Limit::calendar(50_000, Period::Year, 'UTC')]);
$stores = ['redis' => 0, 'lease' => 0];
for ($admitted = 0; ($r = $limiter->consume('x'))->accepted; $admitted++) {
	$stores[$r->store]++;
	if ($r->store === 'redis' && $admitted % 50 === 0) {
		/* The limit that is not asked about is skipped, and Redis answers. */
		[$hour, $year] = [$limiter->peek('x', ['hour' => 1, 'year' => 0]), $limiter->peek('x', ['hour' => 0, 'year' => 1])];
		same([20_000 - $hour->remaining, 'redis'], [50_000 - $year->remaining, $year->store], "both count the same, $admitted admitted");
	}
}
same([20_000, Reason::Banned, 'hour'], [$admitted, $r->reason, $r->name], 'all are admitted, and none more');
/* A batch is the demand of 0.2 s, which a busy machine makes small. */
ok($stores['lease'] > $stores['redis'], 'most by batches: ' . json_encode($stores));
$limiter->unban('x');
same(50_000 - 20_000 - 1, $limiter->peek('x', ['hour' => 0, 'year' => 1])->remaining, 'the year has counted what the hour has');
done();
?>
--EXPECT--
done
