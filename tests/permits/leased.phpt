--TEST--
Permits of a leased limit settle and cancel within the machine's batch; those of an old batch stay charged
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../deny-cache/deny-cache.inc';
use FrequencyLimit\{Limit, Limiter};

$redis = redis_with_deny_cache();
(new Limiter('before', Limit::fixedWindow(1, 60)))->consume('x'); /* the script is known */
$limiter = new Limiter('leased', Limit::fixedWindow(1000, 3600)->leased(50));
same(1, asks($redis, function () use ($limiter) {
	$first = $limiter->acquire('x');
	same(['redis', 999, 1, 0.0], [$first->result->store, $first->result->remaining, $first->result->granted, $first->result->wait], 'the first takes a batch');
	$second = $limiter->acquire('x', 9);
	same(['lease', 40, 9], [$second->result->store, $second->result->remaining, $second->result->granted], 'the second is from the batch');
	same(true, $second->cancel(), 'cancel()');
	same(49, $limiter->peek('x')->remaining + 1, 'gives back to the batch');
	same(true, $first->cancel(), 'so does the one that brought the batch');
	same(50, $limiter->peek('x')->remaining + 1, 'the batch has its permit, too');
	$third = $limiter->acquire('x', 10);
	$settled = $third->settle(4);
	same(['lease', 46, 4, null], [$settled->store, $settled->remaining, $settled->granted, $third->settle(1)], 'settle() with less');
	$settled = $limiter->acquire('x', 1)->settle(6);
	same(['lease', 40, 6], [$settled->store, $settled->remaining, $settled->granted], 'settle() with more');
	same([true, 40], [$limiter->acquire('x')->release(), $limiter->peek('x')->remaining + 2], 'release() gives nothing back');
	same(false, $limiter->acquire('x')->renew(), 'renew() has no places');
}), 'all of it is one question');

/* What a reset, or a ban, has dropped does not come back. */
$old = $limiter->acquire('x', 5);
$limiter->reset('x');
$limiter->acquire('x');
$left = $limiter->peek('x')->remaining;
same('lease', $limiter->peek('x')->store, 'a new batch');
$redis_count = fn () => 1000 - (new Limiter('leased', Limit::fixedWindow(1000, 3600)))->peek('x')->remaining;
try {
	$old->cancel();
} catch (FrequencyLimit\StoreException) {
	/* A Redis store without permits */
}
same($left, $limiter->peek('x')->remaining, 'the old permit does not join the new batch');
done();
?>
--EXPECT--
done
