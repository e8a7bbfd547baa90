--TEST--
reset() deletes an identity's counts and bans of one action, and returns true for any (embedded store, running clock)
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
play_running(__DIR__ . '/reset.inc');
?>
--EXPECT--
done
