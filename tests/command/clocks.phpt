--TEST--
bin/ratelimit check finds a Redis whose clock is ahead of this machine's, or behind it
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/simclock.inc';
needs_tool('simclock.so');
needs_stopped_redis();
?>
--FILE--
<?php
require __DIR__ . '/command.inc';
require __DIR__ . '/../include/simclock.inc';

foreach (['ahead of' => 3600, 'behind' => -3600] as $word => $seconds) {
	$redis = (new SimClock((time() + $seconds) * 1_000_000))->redis();
	[$exit, $out, $errors] = ratelimit(['check'], ['ratelimit.store' => $redis->dsn(), ]);
	same([1, 'wrong: '], [$exit, substr($out, 0, 7)], "a clock $word ours: $errors");
	ok(preg_match("/: its clock is 3[56]\\d\\d\\.\\d s $word this machine's; run NTP on both$/m", $errors) === 1, "$word: $errors");
}
done();
?>
--EXPECT--
done
