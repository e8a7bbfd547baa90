--TEST--
Going past 100 uploads a day bans until a moment, which may be before the window's end (embedded store, running clock)
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
