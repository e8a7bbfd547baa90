--TEST--
Without Redis a permit is held where it was decided: local counts it, allow holds nothing, deny refuses, throw throws
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
use FrequencyLimit\{Limit, Limiter, Reason, StoreException};

const AWAY = 'unix:///nowhere/redis.sock';
$limits = ['places' => Limit::concurrent(2, 600), 'rate' => Limit::fixedWindow(10, 600)];

ini_set('ratelimit.on_failure', 'local');
$limiter = new Limiter('local', $limits, AWAY);
$one = $limiter->acquire('x');
$two = $limiter->acquire('x', maxWait: 0.0);
same([true, 'local', 1], [$one->result->accepted, $one->result->store, $one->result->granted], 'local: it decides');
same([false, Reason::Limited], [($r = $limiter->acquire('x')->result)->accepted, $r->reason], 'local: exactly two');
same([true, true, 'local'], [$one->renew(), $one->release(), ($r = $two->settle(5))->store], 'local: it holds the places');
same([true, 2, 3, false], [$r->accepted, $r->remaining, (new Limiter('local', $limits['rate'], AWAY))->peek('x')->remaining, $two->release()], 'local: the true cost is charged');
$permit = $limiter->acquire('x', 2);
unset($permit);
$permit = $limiter->acquire('x', 2);
same(true, $permit->result->accepted, 'local: the end of an object frees them');
ini_set('ratelimit.on_failure', 'throw');
same([true, false], [$permit->release(), $permit->release()], 'local: they are freed there under every policy');

ini_set('ratelimit.on_failure', 'allow');
$limiter = new Limiter('allow', $limits, AWAY);
$permits = [];
for ($i = 0; $i < 5; $i++) {
	$permits[] = $permit = $limiter->acquire('x');
	same([true, Reason::StoreUnavailable, 1, true], [$permit->result->accepted, $permit->result->reason, $permit->result->granted, $permit->wait()], 'allow: admitted');
}
same([false, true, false], [$permits[0]->renew(), $permits[0]->release(), $permits[0]->release()], 'allow: it has no places');
$settled = $permits[1]->settle(700);
same([true, Reason::StoreUnavailable, 700, null], [$settled->accepted, $settled->reason, $settled->granted, $permits[1]->settle(1)], 'allow: nothing is charged');
same([true, false], [$permits[2]->cancel(), $permits[2]->cancel()], 'allow: cancel()');
same([true, 10, 7], [($r = $limiter->acquire('y', 1)->result)->accepted, $r->limit === 2 ? 10 : 0, (new Limiter('part', Limit::fixedWindow(10, 60), AWAY))->consume('y', 12, 3, 1)->granted], 'allow: a part that the limit allows');
same(Reason::TooExpensive, (new Limiter('dear', Limit::fixedWindow(10, 60), AWAY))->consume('y', 8, 3)->reason, 'allow: a cost and a share above the limit');
ini_set('ratelimit.on_failure', 'local');
unset($permits);
same(true, (new Limiter('allow', $limits, AWAY))->acquire('x', 2)->release(), 'allow: nothing was held there');

ini_set('ratelimit.on_failure', 'deny');
$permit = (new Limiter('deny', $limits, AWAY))->acquire('x', maxWait: 30);
same([false, Reason::StoreUnavailable, 0, false, null], [$permit->result->accepted, $permit->result->reason, $permit->result->granted, $permit->release(), $permit->settle(1)], 'deny: refused');

ini_set('ratelimit.on_failure', 'throw');
throws(StoreException::class, [], fn () => (new Limiter('throw', $limits, AWAY))->acquire('x'), 'throw: acquire()');

/* Another store holds nothing of it. */
ini_set('ratelimit.on_failure', 'local');
$limiter = new Limiter('moved', $limits);
$permits = [$limiter->acquire('x'), $limiter->acquire('x')];
use_store(AWAY);
same([false, false, false], [$permits[0]->renew(), $permits[0]->release(), $permits[0]->release()], 'another store');
same(2, $limiter->acquire('x', 2)->result->granted, 'has places of its own');
unset($permits);
use_store('shm:');
same(false, $limiter->acquire('x')->result->accepted, 'the first store has them until their seconds are over');
done();
?>
--EXPECT--
done
