--TEST--
ban() with a list: the n-th ban lasts the n-th time, and they begin anew when forgotten (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../model/run.inc';
echo on_store('shm', [__DIR__ . '/bans-escalate.inc'])[1];
--EXPECT--
done
