--TEST--
Illegal arguments throw an Exception that begins with 非法参数, and count nothing (embedded store, running clock)
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
play_running(__DIR__ . '/illegal.inc');
?>
--EXPECT--
done
