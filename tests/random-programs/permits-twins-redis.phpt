--TEST--
Random programs: permits of limits of one algorithm and one period match the reference model field by field (Redis)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/simclock.inc';
needs_stopped_redis();
needs_tool('simclock.so');
?>
--FILE--
<?php
[$store, $kind] = ['redis', 'permitsTwins'];
require __DIR__ . '/random.inc';
--EXPECT--
done
