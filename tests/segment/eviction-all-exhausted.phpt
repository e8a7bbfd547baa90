--TEST--
A table full of exhausted identities still decides, and limits new identities
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
ratelimit.shm_size=1M
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
FrequencyLimit\Clock::freeze(1_900_000_000);
$slots = FrequencyLimit\Monitor::stats()['slots'];

for ($i = 1; $i <= 3 * $slots; $i++) {
	FrequencyLimit::doHandle('used-up', $i, 86400, 1);
}
/* A newcomer is served, and once it is in, its limit holds while it keeps calling. */
$passed = 0;
for ($i = 0; $i < 1000; $i++) {
	$passed += (int) FrequencyLimit::doHandle('newcomer', 1, 86400, 10);
}
same(10, $passed, 'a newcomer');

/* When everything has ended, everything is free again, and nothing live has to go. */
FrequencyLimit\Clock::advance(86400);
$before = FrequencyLimit\Monitor::stats()['evictions'];
for ($i = 1; $i <= $slots / 4; $i++) {
	ok(FrequencyLimit::doHandle('next-day', $i, 60, 1), "identity $i of the next day");
}
same($before, FrequencyLimit\Monitor::stats()['evictions'], 'nothing live was evicted while ended ones were there');
done();
?>
--EXPECT--
done
