--TEST--
Random programs: calendar windows match the reference model field by field (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'calendar'];
require __DIR__ . '/random.inc';
--EXPECT--
done
