--TEST--
The 101st upload of a day starts a ban until a moment, even within the window (embedded store, running clock)
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
play_running(__DIR__ . '/upload.inc');
?>
--EXPECT--
done
