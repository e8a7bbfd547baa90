--TEST--
The extension follows the simulated clock of this test folder
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
$php('FrequencyLimit::doHandle("a", 1, 10, 1);');
$left = fn () => $php('return FrequencyLimit::check("a", 1, 10, 1)->retryAfter;');
same(10.0, $left(), 'at the beginning');
$clock->advance(3_250_000);
same(6.75, $left(), '3.25 s later');
pause(0.01);
same(6.75, $left(), 'and only when it is told to');
$clock->advance(6_749_999);
same(0.000001, $left(), 'a microsecond before the end');
$clock->advance(1);
same(true, $php('return FrequencyLimit::doHandle("a", 1, 10, 1);'), 'at the end');
done();
?>
--EXPECT--
done
