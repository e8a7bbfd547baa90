--TEST--
doHandle() admits exactly 10 comments in 30 seconds from the first, then starts afresh (embedded store, running clock)
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
play_running(__DIR__ . '/comment.inc');
?>
--EXPECT--
done
