--TEST--
A cost above the limit is TooExpensive, writes nothing and starts no ban, for every algorithm (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../model/run.inc';
echo on_store('shm', [__DIR__ . '/too-expensive.inc'])[1];
--EXPECT--
done
