--TEST--
Random programs: a cost for each limit matches the reference model field by field (Redis)
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
[$store, $kind] = ['redis', 'costs'];
require __DIR__ . '/random.inc';
--EXPECT--
done
