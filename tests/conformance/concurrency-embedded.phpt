--TEST--
Concurrent processes are admitted exactly the limit by every algorithm (embedded store)
--EXTENSIONS--
ratelimit
pcntl
--FILE--
<?php
require __DIR__ . '/../model/run.inc';
echo on_store('shm', [__DIR__ . '/concurrency.inc'])[1];
--EXPECT--
done
