--TEST--
Random programs: limits with carry(), permits and deploys match the reference model (Redis)
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
[$store, $kind] = ['redis', 'carry'];
require __DIR__ . '/random.inc';
--EXPECT--
done
