--TEST--
A changed number applies to the next call, a changed time to the next window (embedded store, running clock)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/tools.inc';
needs_tool('simclock.so');
?>
--FILE--
<?php
require __DIR__ . '/../include/running.inc';
play_running(__DIR__ . '/changed.inc');
?>
--EXPECT--
done
