--TEST--
A request that Redis executes after its timeout counts once, and its reply reaches no other call
--EXTENSIONS--
ratelimit
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

$redis = new RedisServer();
$proxy = new FaultProxy($redis->socket);
$faults = new Faults($redis, $proxy->dsn(), timeout_ms: 20);
$faults->each('executed late', fn () => $proxy->rule('EVALSHA', 0, 'keep-request'),
	function (Question $question) use ($redis, $proxy) {
		$proxy->clear();
		$proxy->release();
		ok(eventually(fn () => $redis->calls('evalsha') === $proxy->count('EVALSHA')), 'it was executed');
	}, 'no answer within', most: 1);
ok($redis->calls('evalsha') > 12, 'they were executed');
done();
?>
--EXPECT--
done
