--TEST--
Known mistakes: no call too many or too few by rounding, decay or refill (embedded)
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../model/run.inc';
echo on_store('shm', [__DIR__ . '/arithmetic.inc'])[1];
--EXPECT--
done
