--TEST--
A machine that was paused spends no leased permit of a window that is over: a batch also ends by the wall clock
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/simclock.inc';
needs_stopped_redis();
needs_tool('simclock.so');
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/simclock.inc';

/* Redis goes on. While the hypervisor has this machine paused its clocks stand still; then its wall clock is set right. */
$time = new SimClock();
$redis = $time->redis();
$machine = new SimClock();
$php = new SimPhp($machine, ['ratelimit.store' => $redis->dsn('?deny_cache=0'), 'ratelimit.on_failure' => 'throw']);
$php('$GLOBALS["limiter"] = new FrequencyLimit\Limiter("paused", FrequencyLimit\Limit::fixedWindow(1000, 4)->leased());
function spend(): array {
	for ($stores = ["redis" => 0, "lease" => 0]; ($r = $GLOBALS["limiter"]->consume("x"))->accepted; $stores[$r->store]++);
	return $stores;
}');
$call = fn () => $php('return $GLOBALS["limiter"]->consume("x")->store;');
/* Some calls in 20 milliseconds, until the machine has a batch. */
$begin = function () use ($call, $time, $machine) {
	for ($calls = 0; $call() !== 'lease' && $calls < 100; $calls++) {
		if ($calls % 10 === 9) {
			$time->advance(20_000);
			$machine->advance(20_000);
		}
	}
	ok($calls < 100, "a batch after $calls calls");
};
$begin();
$time->advance(5_000_000);
$machine->step_wall(5_000_000);
$stores = $php('return spend();');
same(1000, array_sum($stores), 'the second window: ' . json_encode($stores));

/* Nothing ends while all clocks go on together, or the machine sleeps for less than the batch lasts. */
foreach (['advance', 'suspend'] as $what) {
	$time->advance(5_000_000);
	$machine->advance(5_000_000);
	$begin();
	$time->advance(500_000);
	$machine->$what(500_000);
	same('lease', $call(), "still good: $what");
}
done();
?>
--EXPECT--
done
