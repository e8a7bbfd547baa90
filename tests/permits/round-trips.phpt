--TEST--
On Redis a permit costs one round trip for acquire() and one for its end, whatever its limits are
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
use FrequencyLimit\{Limit, Limiter};

$redis = test_store('redis')->server;
$places = new Limiter('places', Limit::concurrent(10, 600));
$rate = new Limiter('rate', Limit::slidingLog(1000, 600));
$both = new Limiter('both', ['at-once' => Limit::concurrent(10, 600), 'bucket' => Limit::tokenBucket(1000, 600)]);
$lives = [
	'places, released' => fn () => $places->acquire('x')->release(),
	'places, by the destructor' => function () use ($places) {
		$permit = $places->acquire('x');
	},
	'a rate, settled' => fn () => $rate->acquire('x', 5)->settle(2),
	'a rate, cancelled' => fn () => $rate->acquire('x', 5)->cancel(),
	'both, settled' => fn () => $both->acquire('x', 5)->settle(2),
	'both, released' => fn () => $both->acquire('x', 5)->release(),
];
/** The scripts, and all reads of the server from its clients. */
$count = fn () => [$redis->calls('evalsha'), $redis->calls('eval'), $redis->calls('script|load'), (int) $redis->info('stats')['total_reads_processed']];
foreach ($lives as $what => $life) {
	$life();
	$before = $count();
	$asked = $count()[3] - $before[3];
	for ($i = 0; $i < 20; $i++) {
		$life();
	}
	$after = $count();
	same([40, 0, 0], [$after[0] - $before[0], $after[1] - $before[1], $after[2] - $before[2]], "$what: scripts of 20 permits");
	same(40, $after[3] - $before[3] - 2 * $asked, "$what: requests of 20 permits");
}
/* Nothing of a rate comes back by a release: it asks no store. */
$permit = $rate->acquire('x');
$before = $redis->calls('evalsha');
$rate->acquire('x')->release();
same(1, $redis->calls('evalsha') - $before, 'a released rate');

/* Renewing costs one more. */
$permit = $places->acquire('y');
$before = $redis->calls('evalsha');
same([true, 1], [$permit->renew(), $redis->calls('evalsha') - $before], 'renew()');
done();
?>
--EXPECT--
done
