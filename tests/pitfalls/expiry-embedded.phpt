--TEST--
Known mistakes: no state outlives its end, and none ends early (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../model/run.inc';
echo on_store('shm', [__DIR__ . '/expiry.inc'])[1];
--EXPECT--
done
