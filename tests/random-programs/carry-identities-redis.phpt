--TEST--
Random programs: limits with carry() and identities of their own match the reference model (Redis)
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
[$store, $kind] = ['redis', 'carryIdentities'];
require __DIR__ . '/random.inc';
--EXPECT--
done
