--TEST--
After retryAfter the same call passes, one clock step earlier it does not, for every algorithm (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../model/run.inc';
echo on_store('shm', [__DIR__ . '/retry-after.inc'])[1];
--EXPECT--
done
