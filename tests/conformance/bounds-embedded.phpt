--TEST--
The least and the greatest numbers, periods and bans that are taken work, every algorithm (embedded)
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../model/run.inc';
echo on_store('shm', [__DIR__ . '/bounds.inc'])[1];
--EXPECT--
done
