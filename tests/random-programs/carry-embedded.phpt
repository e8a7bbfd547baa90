--TEST--
Random programs: limits with carry(), permits and deploys match the reference model (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'carry'];
require __DIR__ . '/random.inc';
--EXPECT--
done
