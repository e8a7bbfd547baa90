--TEST--
A signal wakes wait() and an acquire() that waits for a place; the turn is kept, and a second wait() goes on
--EXTENSIONS--
ratelimit
pcntl
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
use FrequencyLimit\{Limit, Limiter};

test_store('real');
foreach ([false, true] as $async) {
	pcntl_async_signals($async);
	$signals = 0;
	pcntl_signal(SIGALRM, function () use (&$signals) { $signals++; });
	$limiter = new Limiter('signal' . (int) $async, Limit::fixedWindow(1, 3));
	$limiter->consume('x');
	$permit = $limiter->acquire('x', maxWait: 5);
	between(1.5, $permit->result->wait, 3.001, 'its turn');
	pcntl_alarm(1);
	same(false, $permit->wait(), 'woken');
	pcntl_signal_dispatch();
	same(1, $signals, 'the handler ran');
	same(true, $permit->wait(), 'the second wait() goes on to the turn');
	same([true, false], [$permit->release(), $permit->wait()], 'then it is over');

	$places = new Limiter('places' . (int) $async, Limit::concurrent(1, 3600));
	$held = $places->acquire('x');
	pcntl_alarm(1);
	$start = stopwatch();
	same(false, $places->acquire('x', maxWait: 3000)->result->accepted, 'the refusal');
	ok(stopwatch() - $start < 1000, 'long before the end of maxWait');
	pcntl_signal_dispatch();
	same([2, true], [$signals, $held->release()], 'the handler ran, the holder is not disturbed');
}
done();
?>
--EXPECT--
done
