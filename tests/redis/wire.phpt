--TEST--
Any fault of a request or a reply on the wire costs bounded time, no second count and no foreign reply
--EXTENSIONS--
ratelimit
--INI--
ratelimit.on_failure=deny
--SKIPIF--
<?php
require __DIR__ . '/../include/proxy.inc';
needs_redis();
needs_tool('proxy');
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/proxy.inc';
store_options(retry_delay: 1);

$redis = new RedisServer();
$proxy = new FaultProxy($redis->socket);
ini_set('ratelimit.store', $proxy->dsn());

/* action, argument: is it answered (null: if the second reply is late enough), does the server execute it */
$faults = [
	['drop-request', 0, false, 0], ['close-request', 0, false, 0], ['reset-request', 0, false, 0],
	['drop-reply', 0, false, 1], ['close-reply', 0, false, 1], ['reset-reply', 0, false, 1], ['half-close', 0, false, 1],
	['truncate', 3, false, 1], ['truncate-close', 3, false, 1], ['trickle', 40, false, 1], ['hold', 0, false, 1],
	['delay-reply', 5000, false, 1], ['replace', "-ERR what\r\n", false, 1], ['replace', "+OK\r\n", false, 1],
	['replace', "*-1\r\n", false, 1], ['replace', "HTTP/1.1 400 Bad Request\r\n\r\n", false, 1], ['replace', "\$536870912\r\n", false, 1],
	['inject', "+OK\r\n", false, 1], ['duplicate', 0, null, 1], ['delay-reply', 50, true, 1], ['trickle', 1, true, 1],
];
$limiter = new FrequencyLimit\Limiter('wire', [FrequencyLimit\Limit::slidingLog(100, 60), FrequencyLimit\Limit::fixedWindow(100, 60)]);
$asked = [
	'doHandle' => fn (int $id) => FrequencyLimit::check('wire', $id, 60, 100),
	'limiter' => fn (int $id) => $limiter->consume($id),
];
$id = 0;
foreach ($asked as $what => $ask) {
	foreach ($faults as [$action, $argument, $answered, $executed]) {
		$name = "$what, $action " . addcslashes((string) $argument, "\r\n");
		$id++;
		/* A connection that works, and a script that is known. */
		same(99, $ask($id)->remaining, "$name: before");
		$proxy->clear();
		$before = $proxy->count('EVALSHA') + $proxy->count('EVAL');
		$proxy->rule('EVALSHA', 1, $action, $argument);
		/* A call without a reply returns after the timeout. */
		store_options(timeout: $answered === false ? '150' : '20000');
		$start = stopwatch();
		$r = $ask($id);
		$took = stopwatch() - $start;
		store_options(timeout: 20000);
		$answered ??= $r->accepted;
		same($answered ? 'accepted' : 'store_unavailable', $r->reason->value, "$name: the answer");
		between(0, $took, 10.0, "$name: seconds");
		same(1, $proxy->count('EVALSHA') + $proxy->count('EVAL') - $before, "$name: sent");
		/* Another question first: no late reply may answer it. */
		pause(0.003);
		same(99, $ask(1000 + $id)->remaining, "$name: the next question");
		if ($action !== 'delay-reply') {
			same(99 - $executed - 1, $ask($id)->remaining, "$name: afterwards");
		}
	}
}
foreach ([['silent', 'says nothing'], ['off', 'closes']] as [$how, $name]) {
	$proxy->clear();
	$proxy->accept($how);
	$proxy->cut();
	store_options(timeout: 150, connect_timeout: 150);
	$start = stopwatch();
	same('store_unavailable', FrequencyLimit::check('wire', 5000, 60, 100)->reason->value, $name);
	between(0, stopwatch() - $start, 10.0, "$name: seconds");
	store_options(timeout: 20000, connect_timeout: 20000);
	$proxy->accept('on');
	pause(0.01);
	same('redis', FrequencyLimit::check('wire', 5000, 60, 100)->store, "$name: afterwards");
}
$proxy->push("+boo\r\n");
pause(0.01);
same(97, FrequencyLimit::check('wire', 5000, 60, 100)->remaining, 'bytes that nobody asked for');
$proxy->cut();
pause(0.01);
same(96, FrequencyLimit::check('wire', 5000, 60, 100)->remaining, 'a connection that was closed while idle');
done();
?>
--EXPECT--
done
