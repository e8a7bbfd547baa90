--TEST--
A deploy in the middle of a window keeps the counts and each retryAfter of every algorithm (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../model/run.inc';
echo on_store('shm', [__DIR__ . '/deploys.inc'])[1];
--EXPECT--
done
