--TEST--
A running fixed window has its own end and the number of each call, whatever period the call has (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../model/run.inc';
echo on_store('shm', [__DIR__ . '/other-period.inc'])[1];
--EXPECT--
done
