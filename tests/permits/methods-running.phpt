--TEST--
A permit ends once: by release(), settle() or cancel(), which give back exactly what they promise (embedded store, running clock)
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
play_running(__DIR__ . '/methods.inc');
?>
--EXPECT--
done
