--TEST--
A signal in the middle of a question ends an acquire() that waits, and its handler changes no question of a date
--EXTENSIONS--
ratelimit
pcntl
posix
--SKIPIF--
<?php
require __DIR__ . '/../include/proxy.inc';
needs_redis();
needs_tool('proxy');
?>
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
require __DIR__ . '/../include/proxy.inc';
use FrequencyLimit\{Limit, Limiter};

$store = test_store('redis');
$proxy = new FaultProxy($store->server->socket);
$limits = [Limit::concurrent(1, 3600)];
$held = (new Limiter('question', $limits))->acquire('x');
$waiting = new Limiter('question', $limits, $proxy->dsn());
$waiting->peek('x'); /* the connection, and the script */
$asked = fn () => $proxy->count('EVALSHA');
foreach ([false, true] as $async) {
	pcntl_async_signals($async);
	$signals = 0;
	pcntl_signal(SIGUSR1, function () use (&$signals) { $signals++; });
	/* The third question gets no further than the proxy, until the signal has come. */
	[$before, $kept] = [$asked(), $proxy->count('EVALSHA', 'keep-request')];
	$proxy->clear();
	$proxy->rule('EVALSHA', 3, 'keep-request');
	$waiter = getmypid();
	$end = forked(function () use ($proxy, $waiter, $kept) {
		eventually(fn () => $proxy->count('EVALSHA', 'keep-request') > $kept, 60);
		send_signal($waiter, SIGUSR1);
		$proxy->release();
	});
	same(false, $waiting->acquire('x', maxWait: 20)->result->accepted, 'the refusal');
	same(3, $asked() - $before, 'no question follows');
	pcntl_signal_dispatch();
	same(1, $signals, 'the handler ran');
	$end();
}
same(true, $held->release(), 'the holder is not disturbed');

/* PHP's date methods would run a handler inside a question, whose own one it changes. */
pcntl_async_signals(true);
[$dates, $bans] = [new Limiter('dates', Limit::slidingLog(10_000, 3600)), new Limiter('bans', Limit::slidingLog(10, 3600))];
pcntl_signal(SIGUSR1, function () use ($dates, $bans) {
	$dates->peek('another');
	$bans->peek('another');
});
$caller = getmypid();
$end = forked(function () use ($caller) {
	for (;;) {
		send_signal($caller, SIGUSR1);
		usleep(20);
	}
});
$at = new DateTimeImmutable('+30 seconds');
for ($i = 0; $i < 600; $i++) {
	$dates->reserve(1, $at);
	$bans->ban($i, $at);
}
$end();
pcntl_async_signals(false);
same(true, $dates->cancel(1, $at, 600), 'each reservation is counted');
same([], array_filter(range(0, 599), fn (int $id): bool => $bans->peek($id)->accepted), 'each ban holds');
done();
?>
--EXPECT--
done
