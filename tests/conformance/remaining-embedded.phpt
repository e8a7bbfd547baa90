--TEST--
remaining is correct for every algorithm, and for token buckets of every rate (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../model/run.inc';
echo on_store('shm', [__DIR__ . '/remaining.inc'])[1];
--EXPECT--
done
