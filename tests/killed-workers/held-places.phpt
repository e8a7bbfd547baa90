--TEST--
A worker killed or stopped after any instruction of acquire() on Redis blocks no worker and loses no other place
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
$ini = ['ratelimit.store' => $redis->dsn(), 'ratelimit.on_failure' => 'throw'];
foreach (['kill', 'hold', 'twice'] as $how) {
	$redis('FLUSHALL'); /* each sweep begins with identity 1 */
	$report = sweep('held-places', $how, 1.2, $ini);
	ok($report->points > 10, "$how: enough points: $report");
	same([[], []], [$report->blocked, $report->broken], "$how: blocked, wrong");
}
done();
?>
--EXPECT--
done
