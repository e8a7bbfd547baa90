--TEST--
A question that Redis executes after its caller gave up counts once, and its reply reaches nobody
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
$faults->each('executed late', fn () => $proxy->rule('EVALSHA', 0, 'delay-request', 60),
	function (Question $question) use ($redis, $proxy) {
		$proxy->clear();
		$idle = function () use ($redis) {
			$calls = $redis->calls('evalsha');
			pause(0.08);
			return $calls === $redis->calls('evalsha');
		};
		ok(eventually($idle), 'it was executed');
	}, 'no answer within', most: 1);
ok($redis->calls('evalsha') > 12, 'they were executed');
done();
?>
--EXPECT--
done
