--TEST--
Known mistakes: rounding, decay and refill never admit one call too many or too few (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../model/run.inc';
echo on_store('shm', [__DIR__ . '/arithmetic.inc'])[1];
--EXPECT--
done
