--TEST--
isActionAllowed() counts every admitted call, however close, and no refused one (embedded store, running clock)
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
play_running(__DIR__ . '/traces.inc');
?>
--EXPECT--
done
