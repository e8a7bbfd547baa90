--TEST--
Permits behind Sentinels: after a failover a permit ends on the new master, once, and its place is free there
--EXTENSIONS--
ratelimit
pcntl
--INI--
ratelimit.on_failure=throw
--SKIPIF--
<?php
require __DIR__ . '/../include/topology.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/topology.inc';
store_options(retry_delay: 1);
use FrequencyLimit\{Limit, Limiter, Permit, StoreException};

$redis = new RedisSentinels();
ini_set('ratelimit.store', $redis->dsn());
$places = new Limiter('places', Limit::concurrent(4, 600));
$rate = new Limiter('rate', Limit::fixedWindow(100, 600));
/** Repeats a call while the failover is under way. A call without a reply may have been executed. */
$until_answered = function (callable $call) {
	for ($i = 0; $i < 3000; $i++) {
		try {
			return $call();
		} catch (StoreException) {
			pause(0.01);
		}
	}
	throw new \Exception('no answer');
};
/** The permit's life before the failover. */
same([true, true], [$places->acquire('x')->release(), ($rate->acquire('x', 10)->settle(4))->accepted], 'a life on the first master');
same(96, $rate->peek('x', 1)->remaining + 1, 'what a settled permit left charged');

$held = [$places->acquire('x'), $places->acquire('x'), $places->acquire('x'), $places->acquire('x')];
$to_settle = $rate->acquire('x', 20);
$to_cancel = $rate->acquire('x', 30);
same(false, $places->acquire('x')->result->accepted, 'all places are held');
/* The failover loses nothing of this: the replica has all of it. */
same(1, $redis->master->__invoke('WAIT', 1, 10_000), 'the replica has it');
$redis->master->signal(9);
ok($redis->await_master($redis->replica), 'the sentinels name the replica');

same(false, $until_answered(fn () => $places->acquire('x')->result->accepted), 'all places are held on the new master');
same(true, $until_answered(fn () => $held[0]->renew(300)), 'renew()');
same(true, $held[0]->release(), 'release()');
same([false, false], [$held[0]->release(), $held[0]->renew()], 'it ends once');
same(true, ($again = $places->acquire('x'))->result->accepted, 'its place is free');
same(true, $again->cancel(), 'cancel()');
same(100 - 4 - 5 - 30, $to_settle->settle(5)->remaining, 'settle()');
same(true, $to_cancel->cancel(), 'cancel() of a rate');
same(100 - 4 - 5 - 1, $rate->consume('x')->remaining, 'what stays charged');
unset($held);
same(4, $places->peek('x')->remaining + 1, 'the destructors ended the others');
done();
?>
--EXPECT--
done
