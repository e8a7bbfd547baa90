--TEST--
Redis' clock set back by a sliding log's period or more admits nothing twice: what was admitted counts until its own end
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/simclock.inc';
needs_tool('simclock.so');
needs_stopped_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/simclock.inc';
foreach ([9_999_999, 10_000_000, 15_000_000, 3_600_000_000] as $back) {
	$clock = new SimClock();
	$redis = $clock->redis();
	$php = new SimPhp($clock, ['ratelimit.store' => $redis->dsn('?deny_cache=0'), 'ratelimit.on_failure' => 'throw']);
	$php('$GLOBALS["log"] = new FrequencyLimit\Limiter("log", FrequencyLimit\Limit::slidingLog(3, 10));');
	$consume = fn () => $php('$r = $GLOBALS["log"]->consume(1); return [$r->accepted, $r->remaining, $r->retryAfter, $r->resetAfter];');
	$allowed = fn () => $php('return FrequencyLimit::isActionAllowed(1, "action", 10, 3);');
	same([true, true, true, false], array_map($allowed, range(1, 4)), 'isActionAllowed: three of three');
	same([true, 2, 0.0, 10.0], $consume(), 'first');
	same([true, 1, 0.0, 10.0], $consume(), 'second');
	same([true, 0, 0.0, 10.0], $consume(), 'third');

	$clock->step_wall(-$back);
	$wait = (10_000_000 + $back) / 1e6;
	same([false, 0, $wait, $wait], $consume(), "set back by $back us");
	same(false, $allowed(), "set back by $back us: isActionAllowed");
	$clock->advance((int) ($wait * 1e6) - 1);
	same([false, 0, 0.000001, 0.000001], $consume(), 'a microsecond before retryAfter is over');
	same(false, $allowed(), 'a microsecond before the end: isActionAllowed');
	$clock->advance(1);
	same([true, 2, 0.0, 10.0], $consume(), 'at its end');
	same([true, true, true, false], array_map($allowed, range(1, 4)), 'isActionAllowed, at its end');
	$php->end();
	$redis->stop();
}

/* What is booked ahead counts around its own moment only; what was admitted counts beside it. */
$clock = new SimClock();
$redis = $clock->redis();
$php = new SimPhp($clock, ['ratelimit.store' => $redis->dsn('?deny_cache=0'), 'ratelimit.on_failure' => 'throw']);
$php('$GLOBALS["log"] = new FrequencyLimit\Limiter("log", FrequencyLimit\Limit::slidingLog(3, 10));');
$reserve = fn (int $ahead) => $php('return $GLOBALS["log"]->reserve(1, time() + ' . $ahead . ')->accepted;');
$consume = fn () => $php('$r = $GLOBALS["log"]->consume(1); return [$r->accepted, $r->remaining, $r->retryAfter];');
same([true, true, true, false], array_map(fn () => $reserve(100), range(1, 4)), 'three of three are booked');
same([[true, 2, 0.0], [true, 1, 0.0]], [$consume(), $consume()], 'now');
$clock->step_wall(-50_000_000);
same([[true, 0, 0.0], [false, 0, 10.0]], [$consume(), $consume()], 'set back: two count, the three that are booked do not');
$clock->advance(49_999_999);
same([[true, 0, 0.0], [false, 0, 10.0]], [$consume(), $consume()], 'the two still count');
$php('$GLOBALS["log"]->credit(1, 100);');
same(3, $php('return $GLOBALS["log"]->peek(1)->remaining + 1;'), 'all that has come was given back');
same(false, $reserve(100 + 0), 'the bookings were not');
done();
?>
--EXPECT--
done
