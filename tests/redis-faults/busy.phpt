--TEST--
A busy, paused or overcrowded Redis: on_failure decides, nothing is counted twice, and decisions recover
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

/* BUSY: an endless script of another client. The server is silent until busy-reply-threshold, then it replies BUSY. */
$redis = new RedisServer(['--lua-time-limit', '1', '--hz', '500']);
$faults = new Faults($redis, $redis->dsn());
$endless = null;
$faults->each('BUSY',
	function () use ($redis, &$endless) {
		$endless = stream_socket_client("unix://$redis->socket");
		fwrite($endless, "EVAL 'while true do end' 0\r\n");
		$busy = fn () => ($r = (new RedisClient($redis->socket))('GET', 'x')) instanceof RedisError && str_starts_with($r->message, 'BUSY');
		ok(eventually($busy), 'the server is busy');
	},
	function () use ($redis, &$endless) {
		same('OK', (new RedisClient($redis->socket))('SCRIPT', 'KILL'), 'SCRIPT KILL');
		fgets($endless);
	}, 'BUSY');

/* No place for one more connection: an error, then a hangup. */
$faults->each('max number of clients',
	function () use ($redis) {
		$redis('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
		same('OK', $redis('CONFIG', 'SET', 'maxclients', '1'), 'maxclients');
	},
	fn () => same('OK', $redis('CONFIG', 'SET', 'maxclients', '1000'), 'maxclients'), 'max number of clients');

/* CLIENT PAUSE: pending requests are executed after it, although no client waits for them. */
$faults = new Faults($redis, $redis->dsn(), timeout_ms: 40);
$faults->each('CLIENT PAUSE WRITE',
	fn () => $redis('CLIENT', 'PAUSE', '600000', 'WRITE'),
	fn () => $redis('CLIENT', 'UNPAUSE'), 'no answer within', most: 1);
done();
?>
--EXPECT--
done
