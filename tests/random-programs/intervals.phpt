--TEST--
A sliding log and a sliding window never exceed the limit in any interval of the period's length
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../model/model.inc';
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{Limit, Limiter};
use Model\Traffic;

/* The checker itself, by the definition: it counts from every moment. */
mt_srand(7);
for ($i = 0; $i < 200; $i++) {
	$moments = array_map(fn () => mt_rand(0, 50), range(1, mt_rand(1, 20)));
	sort($moments);
	$period = mt_rand(1, 30);
	$most = max(array_map(fn ($t) => count(array_filter($moments, fn ($m) => $t <= $m && $m < $t + $period)), $moments));
	same($most, Traffic::most($moments, $period), 'the checker');
}

$calls = 0;
foreach (['slidingLog', 'slidingWindow'] as $algorithm) {
	foreach ([[1, 1000], [2, 30], [5, 1], [5, 29], [7, 31], [10, 60_000], [100, 3_600_000]] as [$limit, $period_ms]) {
		$limiter = new Limiter("$algorithm $limit $period_ms", Limit::$algorithm($limit, $period_ms / 1000));
		foreach (Traffic::KINDS as $kind => $_) {
			$moments = Traffic::moments($kind, $limit, $period_ms, (int) min(200, 600 / $limit), $limit);
			foreach ([null, fn () => mt_rand(1, $limit)] as $cost) {
				$admitted = Traffic::admitted($limiter, $moments, $cost);
				$most = Traffic::most($admitted, $period_ms);
				ok($most <= $limit, "$algorithm($limit, $period_ms ms), $kind: $most in one interval");
				/* The limit is used, too: at least once in the first full burst. */
				ok($cost || $kind === 'poisson 1x' || $most === $limit, "$algorithm($limit, $period_ms ms), $kind: never more than $most");
				$calls += count($moments);
			}
		}
	}
}
ok($calls > 30_000, "$calls calls");
done();
--EXPECT--
done
