--TEST--
A lost reply is one decision of the fallback: the other workers, and the next call, ask Redis
--EXTENSIONS--
ratelimit
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../include/proxy.inc';
needs_redis();
needs_tool('proxy');
?>
--FILE--
<?php
require __DIR__ . '/../include/proxy.inc';
require __DIR__ . '/breaker-listener.inc';
store_options(connect_timeout: 5000, timeout: 1000, retry_delay: 60000);
$redis = new RedisServer();
$proxy = new FaultProxy($redis->socket);
use_store($proxy->dsn());
ini_set('error_log', '/dev/null');
$limiter = new FrequencyLimit\Limiter('lossy', FrequencyLimit\Limit::fixedWindow(1000, 3600));
$ask = function (int $calls, float $pause = 0.0005) use ($limiter): array {
	$seen = ['redis' => 0, 'local' => 0, 'admitted' => 0];
	for ($i = 0; $i < $calls; $i++) {
		$r = $limiter->consume('one');
		$seen[$r->store]++;
		$seen['admitted'] += (int) ($r->accepted && $r->store === 'redis');
		pause($pause);
	}
	return $seen;
};

same(['redis' => 10, 'local' => 0, 'admitted' => 10], $ask(10), 'Redis answers');
$proxy->rule('EVALSHA', -50, 'drop-request');
/* Two losses are some 60 ms apart: the first one's worker has replies before the second one fails. */
$answers = in_processes(4, fn () => $ask(100, 0.005));
same([392, 8], [array_sum(array_column($answers, 'redis')), array_sum(array_column($answers, 'local'))], 'of 4 workers, one request of 50 is lost');
same(392, array_sum(array_column($answers, 'admitted')), 'admitted by Redis');
same('closed', server_facts($proxy->dsn())['state'], 'closed');

/* Half of the replies are lost: the breaker opens, although the other half comes. */
$proxy->clear();
store_options(timeout: 50);
$proxy->rule('EVALSHA', -2, 'drop-reply');
$seen = $ask(100);
between(8, $seen['redis'] + 8, 40, 'asked until it opens');
ok($seen['local'] > 60, "$seen[local] decisions of the fallback");
ok(in_array(server_facts($proxy->dsn())['state'], ['open', 'half-open'], true), 'open');
done();
?>
--EXPECT--
done
