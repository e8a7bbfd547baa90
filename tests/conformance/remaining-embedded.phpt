--TEST--
remaining is right, for a token bucket with every rate from 1 to 1000 in 1, 60 and 3600 seconds, every algorithm (embedded)
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../model/run.inc';
echo on_store('shm', [__DIR__ . '/remaining.inc'])[1];
--EXPECT--
done
