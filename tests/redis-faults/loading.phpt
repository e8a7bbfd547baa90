--TEST--
A Redis that loads its data: on_failure decides, and the old counts return with what the fallback admitted
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/faults.inc';

$redis = new RedisServer();
$faults = new Faults($redis, $redis->dsn());
ini_set('ratelimit.on_failure', 'throw');
same(9, FrequencyLimit::check('loading', 'x', 3600, 10)->remaining, 'before');
/* A thousand keys of which each takes 10 ms, unless the delay is taken away; clients are heard at each of them. */
for ($i = 0; $i < 1000; $i++) {
	$redis('SET', "filler$i", random_bytes(1100));
}
same('OK', $redis('SAVE'), 'SAVE');
$redis->stop();
$slow = new RedisServer(['--dir', dirname($redis->socket), '--key-load-delay', '10000', '--loading-process-events-interval-bytes', '1024']);
$loads = fn () => ($r = $slow('GET', 'x')) instanceof RedisError && str_starts_with($r->message, 'LOADING');
ok(eventually($loads), 'it loads');

use_store($slow->dsn());
foreach (['local', 'allow', 'deny', 'throw'] as $policy) {
	pause(0.003);
	ini_set('ratelimit.on_failure', $policy);
	$faults->in_time($policy, function () use ($policy) {
		$call = fn () => FrequencyLimit::check('loading', 'x', 3600, 10);
		if ($policy === 'throw') {
			throws(FrequencyLimit\StoreException::class, ['LOADING'], $call, $policy);
		} else {
			same($policy === 'local' ? 'local' : 'store_unavailable', $policy === 'local' ? $call()->store : $call()->reason->value, $policy);
		}
	});
}
ok($loads(), 'it still loads');
same('OK', $slow('CONFIG', 'SET', 'key-load-delay', '0'), 'key-load-delay');
ok(eventually(fn () => !$loads()), 'it has loaded');
$faults->heals('loaded');
same(7, FrequencyLimit::check('loading', 'x', 3600, 10)->remaining, 'the count of before, what passed meanwhile, and no more');
done();
?>
--EXPECT--
done
