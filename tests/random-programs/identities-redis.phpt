--TEST--
Random programs: limits with identities of their own match the reference model field by field (Redis)
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
[$store, $kind] = ['redis', 'identities'];
require __DIR__ . '/random.inc';
--EXPECT--
done
