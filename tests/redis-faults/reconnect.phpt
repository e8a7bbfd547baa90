--TEST--
Sixty workers that lose their connections reconnect once each
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
require __DIR__ . '/faults.inc';

const WORKERS = 60, LIMIT = 1000;
$redis = new RedisServer(['--maxclients', '500']);
$proxy = new FaultProxy($redis->socket);
$faults = new Faults($redis, $proxy->dsn());
ini_set('ratelimit.on_failure', 'throw');
/* The proxy's own connection for the first decision. */
same(LIMIT - 1, FrequencyLimit::check('many', 'x', 3600, LIMIT)->remaining, 'before');
$before = $proxy->connections();

$counter = fn (string $what) => (int) $redis('INCR', $what);
$reached = fn (string $what, int $n) => eventually(fn () => (int) $redis('GET', $what) >= $n, 30.0);
$answers = in_processes(WORKERS + 1, function (int $i) use ($redis, $proxy, $counter, $reached) {
	if ($i === WORKERS) {
		$reached('connected', WORKERS);
		$proxy->cut();
		$counter('cut');
		$reached('back', WORKERS);
		return [0, 0];
	}
	$passed = (int) FrequencyLimit::doHandle('many', 1, 3600, LIMIT);
	$counter('connected');
	$reached('cut', 1);
	$passed += (int) FrequencyLimit::doHandle('many', 1, 3600, LIMIT);
	$counter('back');
	$passed += (int) FrequencyLimit::doHandle('many', 1, 3600, LIMIT);
	return [$passed, 1];
});
same([3 * WORKERS, WORKERS], [array_sum(array_column($answers, 0)), array_sum(array_column($answers, 1))], 'all passed, and came back');
same((string) (3 * WORKERS), $redis('GET', 'act:limit:many:1'), 'counted');
same(2 * WORKERS, $proxy->connections() - $before, 'connections: one each, and one each again');
done();
?>
--EXPECT--
done
