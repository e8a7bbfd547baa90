--TEST--
cancel() gives back to the calendar window that contains its moment, and to no other one (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../model/run.inc';
echo on_store('shm', [__DIR__ . '/cancel-window.inc'])[1];
--EXPECT--
done
