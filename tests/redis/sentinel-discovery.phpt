--TEST--
Sentinels are asked in turn with their own credentials, and a demoted master decides nothing
--EXTENSIONS--
ratelimit
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
store_options(connect_timeout: 2000, timeout: 2000);

use FrequencyLimit\{Limit, Limiter, StoreException};

$redis = new RedisSentinels(password: 'master-pass', sentinel_lines: [
	'user default on nopass ~* &* +@all',
	'user watcher on >watch-pass ~* &* -@all +auth +sentinel|get-master-addr-by-name +subscribe',
]);
$ask = fn (string $dsn, string $id = 'x') => (new Limiter('s', Limit::fixedWindow(1000, 3600), $dsn))->consume($id);
$message = function (string $dsn) use ($ask): string {
	try {
		$ask($dsn);
	} catch (StoreException $e) {
		return $e->getMessage();
	}
	return 'none';
};
$login = ':master-pass@';
$watcher = '?sentinel_user=watcher&sentinel_password=watch-pass';

same('redis', $ask($redis->dsn('', $login))->store, 'without credentials of the sentinels\'');
same(998, $ask($redis->dsn($watcher, $login))->remaining, 'with');
ok(str_contains($text = $message($redis->dsn('?sentinel_user=watcher&sentinel_password=wrong-pass', $login)), 'WRONGPASS'), "wrong ones: $text");
ok(str_contains($text, 'sentinel 127.0.0.1') && !str_contains($text, 'pass@') && !str_contains($text, 'wrong-pass'), "says who, and no password: $text");
ok(str_contains($text = $message($redis->dsn('', ':wrong-pass@')), 'WRONGPASS'), "a wrong password of the master's: $text");
ok(str_contains($text, 'master 127.0.0.1') && !str_contains($text, 'wrong-pass'), "says who, and no password: $text");
ok(str_contains($text = $message($redis->dsn('', $login, 'other')), 'the sentinel has no master named "other"'), "another name: $text");
$not_a_sentinel = "redis+sentinel://{$login}127.0.0.1:{$redis->master->port}/main";
ok(str_contains($text = $message($not_a_sentinel), 'NOAUTH') || str_contains($text, 'nknown command'), "no sentinel: $text");

/* The role is looked at with each connection. */
$plain = "redis://{$login}127.0.0.1:{$redis->replica->port}";
ok(str_contains($text = $message($plain), 'it is a replica'), "a replica is refused: $text");

/* Two Sentinels are dead, and the third names the master. */
$gone = [free_port(), free_port()];
$dsn = "redis+sentinel://{$login}127.0.0.1:$gone[0],127.0.0.1:$gone[1],127.0.0.1:{$redis->ports[0]}/main";
same('redis', $ask($dsn)->store, 'the third sentinel is asked');
/* Nor do they hide that the master rejects us: deny would refuse each call. */
ini_set('ratelimit.on_failure', 'deny');
ok(str_contains($text = $message(str_replace('master-pass', 'bad-pass', $dsn)), 'WRONGPASS'), "deny throws: $text");
ini_set('ratelimit.on_failure', 'throw');
/* A silent Sentinel does not use up the time of the others. */
$redis->sentinels[1]->signal(19);
$dsn = "redis+sentinel://{$login}127.0.0.1:{$redis->ports[1]},127.0.0.1:{$redis->ports[2]}/main";
same('redis', $ask($dsn)->store, 'behind a sentinel that is silent');
$redis->sentinels[1]->signal(18);

/* A client of the old master notices the switch, although the old master still answers. */
$dsn = $redis->dsn('', $login);
$before = $ask($dsn, 'moved')->remaining;
if (!eventually(fn () => $redis->sentinels[0]('SENTINEL', 'FAILOVER', 'main') === 'OK')) {
	throw new Exception('no failover');
}
ok($redis->await_master($redis->replica), 'the replica is the master now');
$old = $redis->master->calls('evalsha');
same($before - 1, $ask($dsn, 'moved')->remaining, 'the new master goes on counting');
same($old, $redis->master->calls('evalsha'), 'the old one is not asked');
/* Without any Sentinel the open connection still works. */
foreach ($redis->sentinels as $sentinel) {
	$sentinel->stop();
}
same($before - 2, $ask($dsn, 'moved')->remaining, 'without any sentinel');
done();
?>
--EXPECT--
done
