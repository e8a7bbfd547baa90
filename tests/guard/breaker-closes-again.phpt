--TEST--
The circuit breaker opens and closes with Redis, and logs each change once for all workers
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
$log = dirname($redis->socket) . '/php.log';
ini_set('error_log', $log);
$lines = fn (string $what): int => is_file($log) ? substr_count(file_get_contents($log), $what) : 0;
$ask = fn () => FrequencyLimit::check('back', getmypid(), 3600, 1000000)->store;
$all = fn (string $store) => in_processes(4, function () use ($ask, $store) {
	for ($i = 0; $i < 20; $i++) {
		pause(0.002);
		$seen = $ask();
	}
	return $seen;
});

same('redis', $ask(), 'Redis is there');
$facts = server_facts($redis->dsn());
same(['closed', 0], [$facts['state'], $facts['failures']], 'closed');
ok($facts['latency'] > 0 && $facts['latency'] < 1.0, "latency {$facts['latency']}");

foreach (['stopped' => [fn () => $redis->signal(19), fn () => $redis->signal(18)], 'killed' => [fn () => $redis->stop(), fn () => $redis->start()]]
	as $what => [$fault, $repair]) {
	$before = [$lines('is away'), $lines('is back')];
	$fault();
	same(array_fill(0, 4, 'local'), $all('local'), "$what: all workers go by on_failure");
	same([$before[0] + 1, $before[1]], [$lines('is away'), $lines('is back')], "$what: it says so once");
	$repair();
	ok(eventually(fn () => $ask() === 'redis'), "$what: it comes back by itself");
	same(array_fill(0, 4, 'redis'), $all('redis'), "$what: for all workers");
	same([$before[0] + 1, $before[1] + 1], [$lines('is away'), $lines('is back')], "$what: and says that once");
	same('closed', server_facts($redis->dsn())['state'], "$what: closed");
}
ok(preg_match("~ratelimit: Redis at unix://$redis->socket is away \(.+\): on_failure=local decides\n.*ratelimit: Redis at unix://$redis->socket is back after \d+\.\d s\n~",
	file_get_contents($log)) === 1, 'what the lines say: ' . file_get_contents($log));

/* With throw, the message has the known reason, without a request. */
ini_set('ratelimit.on_failure', 'throw');
store_options(retry_delay: 60000);
$redis->stop();
throws(FrequencyLimit\StoreException::class, ["Redis at unix://$redis->socket: "], $ask, 'the first one has asked');
throws(FrequencyLimit\StoreException::class, ["Redis at unix://$redis->socket: "], $ask, 'and the second: Redis is silent');
throws(FrequencyLimit\StoreException::class, ["Redis at unix://$redis->socket: away since ", ' ms, next try in ', ' ms ('], $ask, 'the next one has not');
done();
?>
--EXPECT--
done
