--TEST--
Random programs: carry() with identities of their own and a clock set back match the reference model (Redis)
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
[$store, $kind] = ['redis', 'carryIdentitiesSetBack'];
require __DIR__ . '/random.inc';
--EXPECT--
done
