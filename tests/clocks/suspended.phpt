--TEST--
A suspended machine ends no ban early, and no window lasts longer than its running time (embedded store)
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
$clock = new SimClock();
$php = new SimPhp($clock);
$php('FrequencyLimit::doHandle("a", 1, 60, 1);');
$call = fn () => $php('return FrequencyLimit::doHandle("a", 1, 60, 1);');
$clock->suspend(30_000_000);
same(false, $call(), 'half a window of sleep');
$clock->advance(29_000_000);
same(false, $call(), 'and 29 s awake');
$clock->advance(31_000_000);
same(true, $call(), 'a whole window awake');
done();
?>
--EXPECT--
done
