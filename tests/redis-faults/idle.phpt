--TEST--
A connection that Redis closed while idle is replaced before use, and Redis still decides
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

$redis = new RedisServer(['--hz', '100']);
$faults = new Faults($redis, $redis->dsn());
ini_set('ratelimit.on_failure', 'throw');
$connections = fn () => (int) $redis->info('stats')['total_connections_received'];
same(9, FrequencyLimit::check('idle', 'x', 3600, 10)->remaining, 'before');
$before = $connections();

/* Redis' own "timeout"; this test's connection speaks meanwhile. */
same('OK', $redis('CONFIG', 'SET', 'timeout', '1'), 'timeout');
ok(eventually(fn () => $redis->info('clients')['connected_clients'] === '1'), 'the server has closed it');
same(8, FrequencyLimit::check('idle', 'x', 3600, 10)->remaining, 'after the timeout');
same($before + 1, $connections(), 'one new connection');
same('OK', $redis('CONFIG', 'SET', 'timeout', '0'), 'timeout');

/* An administrator's CLIENT KILL equals an output buffer limit and an eviction of clients. */
foreach ([['TYPE', 'normal', 'SKIPME', 'yes'], ['USER', 'default', 'SKIPME', 'yes']] as $i => $which) {
	ok($redis('CLIENT', 'KILL', ...$which) >= 1, 'killed');
	same(7 - $i, FrequencyLimit::check('idle', 'x', 3600, 10)->remaining, 'after CLIENT KILL');
}
same($before + 3, $connections(), 'a new connection each');
done();
?>
--EXPECT--
done
