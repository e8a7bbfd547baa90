--TEST--
A calendar window follows the wall clock: forward, the next begins; back, the window that has begun runs on
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/simclock.inc';
needs_tool('simclock.so');
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/simclock.inc';
/* 17 March 2030, 17:46:40 UTC. */
$clock = new SimClock();
$php = new SimPhp($clock, ['date.timezone' => 'UTC']);
$php('$GLOBALS["l"] = new FrequencyLimit\Limiter("hour", FrequencyLimit\Limit::calendar(3, FrequencyLimit\Period::Hour));');
$consume = fn () => $php('$r = $GLOBALS["l"]->consume(1); return [$r->accepted, $r->remaining, $r->retryAfter];');
same([true, 2, 0.0], $consume(), '17:46:40');
$clock->step_wall(3_600_000_000);
same([true, 2, 0.0], $consume(), 'set to 18:46:40');
same([true, 1, 0.0], $consume(), 'set to 18:46:40');
$clock->step_wall(-3_600_000_000);
same([true, 0, 0.0], $consume(), 'back to 17:46:40: the window has two of three');
same([false, 0, 4_400.0], $consume(), 'until 19:00, when that window ends');
$clock->advance(4_399_999_999);
same([false, 0, 0.000001], $consume(), 'a microsecond before 19:00');
$clock->advance(1);
same([true, 2, 0.0], $consume(), '19:00');
done();
?>
--EXPECT--
done
