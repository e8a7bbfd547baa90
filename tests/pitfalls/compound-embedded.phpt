--TEST--
Known mistakes: several limits charge nothing that one refuses, and the one that refused speaks (embedded)
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../model/run.inc';
echo on_store('shm', [__DIR__ . '/compound.inc'])[1];
--EXPECT--
done
