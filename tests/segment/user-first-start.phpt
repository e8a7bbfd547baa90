--TEST--
Forty processes that start at once share one count: exactly the limit, one ticket, one segment
--EXTENSIONS--
ratelimit
pcntl
--SKIPIF--
<?php
require __DIR__ . '/user.inc';
needs_apart();
?>
--FILE--
<?php
require __DIR__ . '/user.inc';
run_apart(__FILE__, 'size=64k,mode=1777');

for ($round = 1; $round <= 20; $round++) {
	$passed = in_processes(40, fn () => (int) FrequencyLimit::doHandle('first', 1, 3600, 4));
	same([4, 1, 1], [array_sum($passed), count(tickets()), count(segments())], "round $round");
	if ($round % 2) {
		unlink(current(tickets()));
		/* The segment stays, and with it the counts. */
		same([0, 1], [array_sum(in_processes(40, fn () => (int) FrequencyLimit::doHandle('first', 1, 3600, 4))), count(segments())], "round $round: without its ticket");
	}
	/* Every other time a ticket without a segment stays. */
	exec('ipcrm -m ' . key(segments()));
	if ($round % 3) {
		unlink(current(tickets()));
	}
}
done();
?>
--EXPECT--
done
