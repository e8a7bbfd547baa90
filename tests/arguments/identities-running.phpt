--TEST--
An int and its digits are one identity; no two other pairs share a state (embedded store, running clock)
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
play_running(__DIR__ . '/identities.inc');
?>
--EXPECT--
done
