--TEST--
Random programs: permits of large numbers match the reference model field by field (Redis)
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
[$store, $kind] = ['redis', 'permitsLarge'];
require __DIR__ . '/random.inc';
--EXPECT--
done
