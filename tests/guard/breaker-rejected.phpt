--TEST--
A server that rejects the client opens the circuit breaker; a foreign key or a full server does not
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/breaker-listener.inc';
store_options(retry_delay: 60000);
$redis = new RedisServer(['--requirepass', 'right']);
$admin = new RedisClient($redis->socket);
$admin('AUTH', 'right');
ini_set('error_log', dirname($redis->socket) . '/php.log');
$ask = fn (string $id = 'x') => FrequencyLimit::check('refused', $id, 60, 1000);
$connections = fn (): int => (int) (preg_match('/total_connections_received:(\d+)/', $admin('INFO', 'stats'), $m) ? $m[1] : -1);

use_store("unix://:hunter2@$redis->socket");
$before = $connections();
for ($i = 0; $i < 100; $i++) {
	same('local', $ask()->store, 'local');
}
same($before + 1, $connections(), 'a wrong password is tried once');
$server = FrequencyLimit\Monitor::stats()['servers'][0];
same('open', $server['state'], 'open');
foreach (['deny', 'throw'] as $policy) {
	ini_set('ratelimit.on_failure', $policy);
	throws(FrequencyLimit\StoreException::class, ['refuses us since ', 'WRONGPASS'], $ask, "$policy: it says why");
}
same($before + 1, $connections(), 'still once');
ok(!str_contains(serialize(FrequencyLimit\Monitor::stats()) . file_get_contents(ini_get('error_log')), 'hunter2'), 'no password anywhere');

/* With another password it is another server. */
use_store("unix://:right@$redis->socket");
same('redis', $ask()->store, 'the right password');
$admin('LPUSH', 'act:limit:refused:7', 'foreign');
for ($i = 0; $i < 3; $i++) {
	throws(FrequencyLimit\StoreException::class, ['did not write'], fn () => FrequencyLimit::doHandle('refused', 7, 60, 10), 'a foreign key');
}
$admin('CONFIG', 'SET', 'maxmemory', '1');
$admin('CONFIG', 'SET', 'maxmemory-policy', 'noeviction');
throws(FrequencyLimit\StoreException::class, ['OOM'], $ask, 'no memory');
$admin('CONFIG', 'SET', 'maxmemory', '0');
same('redis', $ask()->store, 'both leave the breaker closed');
done();
?>
--EXPECT--
done
