--TEST--
Random programs: limits with carry() and identities of their own match the reference model (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'carryIdentities'];
require __DIR__ . '/random.inc';
--EXPECT--
done
