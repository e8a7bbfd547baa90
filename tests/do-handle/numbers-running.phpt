--TEST--
doHandle() admits exactly the number, for windows and numbers of every size (embedded store, running clock)
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
play_running(__DIR__ . '/numbers.inc');
?>
--EXPECT--
done
