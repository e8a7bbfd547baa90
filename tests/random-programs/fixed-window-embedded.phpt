--TEST--
Random programs: fixed windows answer field by field as the reference model does (embedded)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'fixedWindow'];
require __DIR__ . '/random.inc';
--EXPECT--
done
