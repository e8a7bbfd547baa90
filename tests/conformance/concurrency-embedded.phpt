--TEST--
With many processes at once exactly the allowed number is admitted, every algorithm (embedded)
--EXTENSIONS--
ratelimit
pcntl
--FILE--
<?php
require __DIR__ . '/../model/run.inc';
echo on_store('shm', [__DIR__ . '/concurrency.inc'])[1];
--EXPECT--
done
