--TEST--
After retryAfter the same call passes, one millisecond earlier it does not
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
precision=17
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\Clock;

/* Frozen at moments that are and are not whole milliseconds, with ends that are and are not ahead of the window's. */
foreach ([1_900_000_000, 1_900_000_000.0004, 1_900_000_000.123456, 1_900_000_000.999999] as $start) {
	foreach ([null, ['type' => 1, 'ttl' => 1], ['type' => 1, 'ttl' => 700], ['type' => 2, 'ttl' => 1_900_000_090]] as $expire) {
		foreach ([0, 0.001, 0.0015, 12.3456, 29.999] as $later) {
			$what = json_encode([$start, $expire, $later]);
			Clock::freeze($start);
			FrequencyLimit::reset('retry', 1);
			for ($i = 0; $i < 3; $i++) {
				FrequencyLimit::check('retry', 1, 30, 3, $expire);
			}
			Clock::advance($later);
			$wait = FrequencyLimit::check('retry', 1, 30, 3, $expire)->retryAfter;
			ok($wait > 0, "a refusal waits: $what");
			/* Rounded down to a millisecond and up: the clock is moved in whole microseconds. */
			if ($wait > 0.001) {
				Clock::advance($wait - 0.001);
				same(false, FrequencyLimit::doHandle('retry', 1, 30, 3, $expire), "one millisecond earlier: $what");
				Clock::advance(0.001);
			} else {
				Clock::advance($wait);
			}
			same(true, FrequencyLimit::doHandle('retry', 1, 30, 3, $expire), "after retryAfter: $what");
		}
	}
}
done();
?>
--EXPECT--
done
