--TEST--
A command that Redis has carried out holds on its machine while Redis is away, under every policy's memory
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
store_options(connect_timeout: 5000, timeout: 5000, retry_delay: 60000, deny_cache: 0);
ini_set('error_log', '/dev/null');
ini_set('ratelimit.on_failure', 'deny');
use FrequencyLimit\{Limit, Limiter};

$redis = new RedisServer();
ini_set('ratelimit.store', $redis->dsn());
$limiter = new Limiter('commands', Limit::fixedWindow(5, 3600)->ban(600));
$passes = function (callable $call): int {
	for ($passed = 0, $n = 10; $n > 0; $n--) {
		$passed += (int) $call();
	}
	return $passed;
};
foreach (['reset', 'unban', 'credit'] as $id) {
	same(5, $passes(fn () => $limiter->allow($id, 1)), "$id: used up, and banned");
}
same(3, $passes(fn () => FrequencyLimit::doHandle('reset', 7, 3600, 3)), 'doHandle: used up');
same(true, $limiter->reset('reset'), 'reset');
same(true, $limiter->unban('unban'), 'unban');
$limiter->unban('credit');
same(true, $limiter->allow('banned'), 'not banned yet');
$limiter->ban('banned', 600);
same(true, $limiter->allow('credit', 2), 'credit: used');
$limiter->credit('credit', 1);
FrequencyLimit::reset('reset', 7);

$redis->signal(19);
store_options(connect_timeout: 50, timeout: 50);
same(0, $passes(fn () => $limiter->allow('somebody')), 'Redis pauses, and the policy refuses');
ini_set('ratelimit.on_failure', 'local');
same(5, $passes(fn () => $limiter->allow('reset')), 'reset');
same(5, $passes(fn () => $limiter->allow('unban')), 'unban: the window of the ban is over');
same(4, $passes(fn () => $limiter->allow('credit')), 'credit');
same(0, $passes(fn () => $limiter->allow('banned')), 'banned by hand');
same(3, $passes(fn () => FrequencyLimit::doHandle('reset', 7, 3600, 3)), 'doHandle: reset');
$redis->signal(18);
done();
?>
--EXPECT--
done
