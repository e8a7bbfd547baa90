--TEST--
Across 1,000 window ends, workers with clocks of their own are admitted exactly the limit (embedded store)
--EXTENSIONS--
ratelimit
pcntl
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
test_store('embedded');

/* Each worker's clock is stopped, and each moves its own on by a second a thousand times: some run ahead, some lag behind and count into the
 * windows of those ahead. The first to come to a second opens its window, once, and leaves it only when it is full. */
const WINDOWS = 1000;
const LIMIT = 7;
foreach (['doHandle' => fn () => FrequencyLimit::doHandle('edge', 1, 1, LIMIT), 'check' => fn () => FrequencyLimit::check('edges', 'x', 1, LIMIT)->accepted] as $name => $entry) {
	$admitted = array_sum(in_processes(8, function () use ($entry) {
		$mine = 0;
		for ($window = 0; $window < WINDOWS; $window++) {
			for ($call = 0; $call <= LIMIT; $call++) {
				$mine += (int) $entry();
			}
			FrequencyLimit\Clock::advance(1);
		}
		return $mine;
	}));
	same(WINDOWS * LIMIT, $admitted, $name);
}
done();
?>
--EXPECT--
done
