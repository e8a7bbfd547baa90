--TEST--
Random programs: fixed windows match the reference model field by field (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'fixedWindow'];
require __DIR__ . '/random.inc';
--EXPECT--
done
