--TEST--
Random programs: limits with carry(), their permits and deploys that add and remove it, match the reference model (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'carry'];
require __DIR__ . '/random.inc';
--EXPECT--
done
