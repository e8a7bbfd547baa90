--TEST--
A permit gives back only to the window, moments or bucket it was taken from; when that is over, it gives nothing back
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
use FrequencyLimit\{Clock, Limit, Limiter, Period};

$store = test_store('embedded');
foreach (['fixed' => Limit::fixedWindow(10, 60), 'calendar' => Limit::calendar(10, Period::Minute, 'UTC'), 'log' => Limit::slidingLog(10, 60), 'sliding' => Limit::slidingWindow(10, 60)] as $name => $limit) {
	$limiter = new Limiter("late $name", $limit);
	/* The late refund: 10 of the old window are cancelled after 10 of the new one have passed. */
	foreach (['cancel', 'settle'] as $end) {
		$limiter->reset('x');
		$old = $limiter->acquire('x', 10);
		$store->advance(63);
		same(true, $limiter->consume('x', 10)->accepted, "$name: the next window");
		same(true, $end === 'cancel' ? $old->cancel() : $old->settle(0)->accepted, "$name: $end() of the old one");
		same(false, $limiter->consume('x')->accepted, "$name: the new window admits no more after $end()");
		$store->advance(130);
	}
}

/* What a bucket has refilled meanwhile goes back once. */
$bucket = new Limiter('late bucket', Limit::tokenBucket(10, 100));
$old = $bucket->acquire('x', 10);
$store->advance(50);
same(true, $bucket->consume('x', 5)->accepted, 'five were refilled');
$old->cancel();
same([true, false], [$bucket->consume('x', 5)->accepted, $bucket->consume('x')->accepted], 'five go back, not ten');

/* A reset forgets what was taken; another permit of the same cost is not touched. */
$limiter = new Limiter('reset', Limit::fixedWindow(10, 60));
$old = $limiter->acquire('x', 4);
$limiter->reset('x');
$new = $limiter->acquire('x', 4);
$old->cancel();
same(5, $limiter->peek('x')->remaining, 'the permit after the reset stays charged');
$new->cancel();
same(9, $limiter->peek('x')->remaining, 'until it ends itself');
done();
?>
--EXPECT--
done
