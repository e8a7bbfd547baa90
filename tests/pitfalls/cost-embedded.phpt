--TEST--
Known mistakes: no refused call is charged, no credit goes beyond the limit, peek tells what consume would (embedded)
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../model/run.inc';
echo on_store('shm', [__DIR__ . '/cost.inc'])[1];
--EXPECT--
done
