--TEST--
A flood in a full Redis: volatile-ttl keeps every ban, noeviction leaves the decision to on_failure
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

use FrequencyLimit\{Limit, Limiter, Reason};

const BANS = 100;
$limiter = new Limiter('evicted', Limit::fixedWindow(10, 60));
$decisions = [];
foreach (['volatile-ttl', 'noeviction'] as $policy) {
	$redis = new RedisServer();
	$faults = new Faults($redis, $redis->dsn());
	ini_set('ratelimit.on_failure', 'throw');
	foreach (range(1, BANS) as $id) {
		$limiter->ban($id, 86400);
	}
	/* The first use of a script allocates its memory now. */
	FrequencyLimit::check('flood', 'first', 60, 10);
	$limiter->peek(1);
	$redis('CONFIG', 'SET', 'maxmemory-policy', $policy);
	/* Redis 8 counts the memory of Lua, whose garbage doubles it until it is collected. */
	['used_memory' => $used, 'used_memory_vm_total' => $lua] = $redis->info('memory') + ['used_memory_vm_total' => 0];
	$redis('CONFIG', 'SET', 'maxmemory', (int) $used + (int) $lua + (200 << 10));
	ini_set('ratelimit.on_failure', 'deny');
	$from = ['redis' => 0, 'unavailable' => 0];
	for ($i = 0; $i < 6000; $i++) {
		$r = FrequencyLimit::check('flood', "x$i", 60, 10);
		$from[$r->reason === Reason::StoreUnavailable ? 'unavailable' : 'redis']++;
	}
	$evicted = (int) $redis->info('stats')['evicted_keys'];
	$banned = count(array_filter(range(1, BANS), fn ($id) => $limiter->peek($id)->reason === Reason::Banned));
	same(BANS, $banned, "$policy: bans that are left");
	if ($policy === 'volatile-ttl') {
		same(['redis' => 6000, 'unavailable' => 0], $from, "$policy: who decided");
		ok($evicted > 200, "$policy: $evicted were evicted");
	} else {
		ok($from['unavailable'] > 200, "$policy: {$from['unavailable']} times on_failure decided");
		same(0, $evicted, "$policy: evicted");
	}
	$redis->stop();
}
done();
?>
--EXPECT--
done
