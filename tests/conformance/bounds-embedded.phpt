--TEST--
The smallest and largest numbers, periods and bans work for every algorithm (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../model/run.inc';
echo on_store('shm', [__DIR__ . '/bounds.inc'])[1];
--EXPECT--
done
