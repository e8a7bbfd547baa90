--TEST--
maxWait books the first moment that passes, first come, first served; what ends before its turn gives it back
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
use FrequencyLimit\{Clock, Limit, Limiter};

$store = test_store('embedded');
$wait = fn ($permit) => round($permit->result->wait, 3);
foreach (['fixed' => [Limit::fixedWindow(1, 60), 60.0, 120.0], 'log' => [Limit::slidingLog(1, 60), 60.0, 120.0],
	'sliding' => [Limit::slidingWindow(1, 60), 62.0, 124.0], 'bucket' => [Limit::tokenBucket(1, 60), 60.0, 120.0]] as $name => [$limit, $second, $third]) {
	$limiter = new Limiter("line $name", $limit);
	$a = $limiter->acquire('x', maxWait: 1000);
	$b = $limiter->acquire('x', maxWait: 1000);
	$c = $limiter->acquire('x', maxWait: 1000);
	same([0.0, $second, $third], [$wait($a), $wait($b), $wait($c)], "$name: in line");
	same([true, 1, 0.0], [$c->result->accepted, $c->result->granted, $c->result->retryAfter], "$name: a booked one is accepted");
	$refused = $limiter->acquire('x', maxWait: $third);
	same([false, 0, 0.0], [$refused->result->accepted, $refused->result->granted, $refused->result->wait], "$name: beyond maxWait");
	ok($refused->result->retryAfter > $third, "$name: its time is known");
	same(false, $refused->wait(), "$name: a refused one has no turn");
	/* The end of an object before its turn is a cancel; its turn is the next one's. */
	unset($c);
	same($third, $wait($c = $limiter->acquire('x', maxWait: 1000)), "$name: the turn was given back");
	$c->release();
	ok($wait($limiter->acquire('x', maxWait: 1000)) > $third, "$name: release() keeps it charged");
}

/* wait() moves a frozen clock to the turn; an end after that gives nothing back. */
$limiter = new Limiter('waits', Limit::fixedWindow(1, 60));
$limiter->consume('x');
$permit = $limiter->acquire('x', maxWait: 60);
same([true, true], [$permit->wait(), $permit->wait()], 'wait()');
unset($permit);
same(false, $limiter->consume('x')->accepted, 'it has waited: it stays charged');
$store->advance(60);
$limiter->consume('x');
$permit = $limiter->acquire('x', maxWait: 60);
$store->advance(60);
unset($permit);
same(false, $limiter->consume('x')->accepted, 'its turn has come by itself: it stays charged');
done();
?>
--EXPECT--
done
