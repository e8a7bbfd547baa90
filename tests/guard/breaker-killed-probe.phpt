--TEST--
A worker that is killed during the circuit breaker's probe costs one more retry delay, and nothing else
--EXTENSIONS--
ratelimit
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/breaker-listener.inc';
store_options(connect_timeout: 1000, timeout: 1000, retry_delay: 100);
$redis = new RedisServer();
use_store($redis->dsn());
ini_set('error_log', dirname($redis->socket) . '/php.log');
$ask = fn () => FrequencyLimit::check('prober', 'x', 3600, 1000000)->store;
$state = fn () => server_facts($redis->dsn())['state'];
same('redis', $ask(), 'Redis is there');
$redis->signal(19);
same('local', $ask(), 'Redis is stopped');
/* One that tries again and again; it is killed while it waits for an answer. */
$prober = pcntl_fork();
if ($prober === 0) {
	for (;;) {
		$ask();
		pause(0.001);
	}
}
ok(eventually(fn () => $state() === 'half-open'), 'it tries');
send_signal($prober, 9);
pcntl_waitpid($prober, $status);
$redis->signal(18);
ok(eventually(fn () => $ask() === 'redis'), 'another one tries');
same('closed', $state(), 'and all is well');
done();
?>
--EXPECT--
done
