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
$php('$GLOBALS["limiter"] = new FrequencyLimit\Limiter("paused", FrequencyLimit\Limit::fixedWindow(1000, 4)->leased(125));
function spend(): array {
	for ($stores = ["redis" => 0, "lease" => 0]; ($r = $GLOBALS["limiter"]->consume("x"))->accepted; $stores[$r->store]++);
	return $stores;
}');
$first = fn () => $php('return $GLOBALS["limiter"]->consume("x")->store;');
same(['redis', 'lease'], [$first(), $first()], 'a batch');
$time->advance(5_000_000);
$machine->step_wall(5_000_000);
$stores = $php('return spend();');
same(1000, array_sum($stores), 'the second window: ' . json_encode($stores));

/* Nothing ends while all clocks go on together, or the machine sleeps for less than the window. */
foreach (['advance', 'suspend'] as $what) {
	$time->advance(5_000_000);
	$machine->advance(5_000_000);
	same(['redis', 'lease'], [$first(), $first()], "a batch of the next window");
	$time->advance(1_000_000);
	$machine->$what(1_000_000);
	same('lease', $first(), "still good: $what");
}
done();
?>
--EXPECT--
done
