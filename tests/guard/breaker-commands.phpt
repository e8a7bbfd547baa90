--TEST--
A command during an outage throws under every policy; under local it holds on this machine until Redis is back
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
store_options(retry_delay: 1, deny_cache: 0);
use FrequencyLimit\{Limit, Limiter, Reason, StoreException};

$redis = test_store('redis')->server;
$limiter = new Limiter('commands', Limit::slidingLog(5, 3600));
$commands = [
	'ban' => fn () => $limiter->ban('x', 600),
	'unban' => fn () => $limiter->unban('x'),
	'credit' => fn () => $limiter->credit('x'),
	'cancel' => fn () => $limiter->cancel('x', time() + 60),
	'reset' => fn () => $limiter->reset('x'),
	'reset of an action' => fn () => FrequencyLimit::reset('commands', 'x'),
];
same('redis', $limiter->consume('x')->store, 'Redis is there');
$redis->stop();
foreach (['allow', 'deny', 'throw', 'local'] as $policy) {
	ini_set('ratelimit.on_failure', $policy);
	foreach ($commands as $name => $command) {
		throws(StoreException::class, [...$policy === 'local' ? ['only on this machine'] : [], 'Redis at '], $command, "$policy: $name");
	}
}

/* The last policy is local. */
throws(StoreException::class, ['only on this machine'], $commands['ban'], 'local: ban');
same([Reason::Banned, 'local'], [($r = $limiter->consume('x'))->reason, $r->store], 'the ban holds on this machine');
$redis->start();
ok(eventually(fn () => $limiter->peek('x')->store === 'redis'), 'Redis is back');
same([true, 'redis'], [($r = $limiter->consume('x'))->accepted, $r->store], 'and has no ban, as the exception said');
done();
?>
--EXPECT--
done
