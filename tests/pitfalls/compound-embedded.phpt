--TEST--
Known mistakes: a refusal charges none of several limits, and reports the one that refused (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../model/run.inc';
echo on_store('shm', [__DIR__ . '/compound.inc'])[1];
--EXPECT--
done
