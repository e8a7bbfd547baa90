--TEST--
After the retryAfter of a cached refusal the same call passes, one clock step earlier it does not
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/simclock.inc';
needs_stopped_redis();
needs_tool('simclock.so');
?>
--FILE--
<?php
require __DIR__ . '/../model/run.inc';
/* All clocks are frozen or advance together, and refusals are cached for an hour: the facts are exact. */
store_options(deny_cache: 3600000);
echo on_store('redis', [__DIR__ . '/../conformance/retry-after.inc'], all_clocks: true)[1];
--EXPECT--
done
