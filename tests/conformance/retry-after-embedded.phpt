--TEST--
After retryAfter the same call passes, and a step of the clock earlier it does not, every algorithm (embedded)
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../model/run.inc';
echo on_store('shm', [__DIR__ . '/retry-after.inc'])[1];
--EXPECT--
done
