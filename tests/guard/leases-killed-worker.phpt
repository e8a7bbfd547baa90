--TEST--
A worker killed or stopped at any instruction of a leased, cached, mirrored or owed decision costs at most its permit
--EXTENSIONS--
ratelimit
pcntl
posix
--SKIPIF--
<?php
require __DIR__ . '/../include/stepper.inc';
require __DIR__ . '/../include/redis.inc';
needs_stepper();
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/redis.inc';
require __DIR__ . '/../include/stepper.inc';
$redis = new RedisServer();
$throw = ['ratelimit.store' => $redis->dsn('?deny_cache=3600000'), 'ratelimit.on_failure' => 'throw'];
$local = ['ratelimit.store' => $redis->dsn('?deny_cache=0'), 'ratelimit.on_failure' => 'local'];
$away = ['ratelimit.store' => "unix://{$redis->socket}.away?retry_delay=3600000", 'error_log' => '/dev/null'] + $local;
foreach (['leased' => $throw, 'remembered' => $throw, 'mirrored' => $local, 'mirrored-several' => $local, 'owed' => $away] as $scenario => $ini) {
	foreach (['kill', 'hold'] as $how) {
		$redis('FLUSHALL'); /* each sweep begins with identity 1 */
		$report = sweep($scenario, $how, amount(2.0, 0.2), $ini);
		ok($report->points > 10, "$scenario, $how: enough points: $report");
		same([[], []], [$report->blocked, $report->broken], "$scenario, $how: blocked, wrong");
	}
}
done();
?>
--EXPECT--
done
