--TEST--
Random programs: a cost for each limit matches the reference model field by field (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'costs'];
require __DIR__ . '/random.inc';
--EXPECT--
done
