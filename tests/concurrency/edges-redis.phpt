--TEST--
Hundreds of windows that end under six workers: each admission is counted once, none is above the limit (Redis)
--EXTENSIONS--
ratelimit
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
$store = test_store('redis');

/* A seventh process ends the window again and again, and adds up the counts. */
const WINDOWS = 400;
$key = 'act:limit:edge:1';
$sums = in_processes(7, function (int $i) use ($store, $key) {
	if ($i === 6) {
		[$ended, $taken] = [0, 0];
		while ($ended < WINDOWS) {
			$left = ($store->server)('PTTL', $key);
			$count = ($store->server)('GETDEL', $key);
			if ($count !== null) {
				$ended++;
				$taken += (int) $count;
				ok((int) $count <= 7, "a window of $count");
				ok($left > 0 || $left === -2, "a window whose expiry is $left");
			}
		}
		($store->server)('SET', 'stop', '1');
		return -$taken;
	}
	$mine = 0;
	while (!($store->server)('EXISTS', 'stop')) {
		for ($call = 0; $call < 5; $call++) {
			$mine += (int) FrequencyLimit::doHandle('edge', 1, 600, 7);
		}
	}
	return $mine;
});
same((int) ($store->server)('GET', $key), array_sum($sums), 'what is left in the last window');
done();
?>
--EXPECT--
done
