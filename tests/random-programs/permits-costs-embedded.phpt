--TEST--
Random programs: permits with a cost for each limit match the reference model field by field (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'permitsCosts'];
require __DIR__ . '/random.inc';
--EXPECT--
done
