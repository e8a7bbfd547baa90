--TEST--
Known mistakes: a refusal charges nothing, a credit respects the limit, peek() matches consume() (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../model/run.inc';
echo on_store('shm', [__DIR__ . '/cost.inc'])[1];
--EXPECT--
done
