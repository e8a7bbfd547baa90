--TEST--
Random programs: a calendar limit with carry() and a clock that is set back match the reference model (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'carrySetBack'];
require __DIR__ . '/random.inc';
--EXPECT--
done
