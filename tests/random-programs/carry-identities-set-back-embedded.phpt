--TEST--
Random programs: carry() with identities of their own and a clock set back match the reference model (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
[$store, $kind] = ['shm', 'carryIdentitiesSetBack'];
require __DIR__ . '/random.inc';
--EXPECT--
done
