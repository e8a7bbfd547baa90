--TEST--
A worker killed or stopped after any instruction of acquire() on Redis blocks no worker, and its places come free
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
skip_slow();
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/redis.inc';
require __DIR__ . '/../include/stepper.inc';
$redis = new RedisServer();
$ini = ['ratelimit.store' => $redis->dsn(), 'ratelimit.on_failure' => 'throw'];
foreach (['held-places', 'held-places-labels'] as $scenario) {
	foreach (['kill', 'hold', 'twice'] as $how) {
		$redis('FLUSHALL'); /* each sweep begins with identity 1 */
		$report = sweep($scenario, $how, 6, $ini); /* a killed worker's places are free after seconds */
		ok($report->points > 10, "$scenario, $how: enough points: $report");
		same([[], []], [$report->blocked, $report->broken], "$scenario, $how: blocked, wrong");
	}
}
done();
?>
--EXPECT--
done
