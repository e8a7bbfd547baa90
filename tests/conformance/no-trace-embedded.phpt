--TEST--
A refusal, a peek and a refused booking change no state of any algorithm (embedded store)
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../model/run.inc';
echo on_store('shm', [__DIR__ . '/no-trace.inc'], ['ratelimit.shm_path' => temp_folder() . '/segment', 'ratelimit.shm_size' => '2M'])[1];
--EXPECT--
done
