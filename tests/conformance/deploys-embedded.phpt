--TEST--
A deploy in the middle of a window keeps what was counted, and every retryAfter that was given, every algorithm (embedded)
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../model/run.inc';
echo on_store('shm', [__DIR__ . '/deploys.inc'])[1];
--EXPECT--
done
