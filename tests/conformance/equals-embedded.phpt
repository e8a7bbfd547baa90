--TEST--
Limits of one algorithm and one period count apart, also over deploys (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../model/run.inc';
echo on_store('shm', [__DIR__ . '/equals.inc'])[1];
--EXPECT--
done
