--TEST--
Random programs: calendar windows answer field by field as the reference model does (embedded)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'calendar'];
require __DIR__ . '/random.inc';
--EXPECT--
done
