--TEST--
The most that each algorithm admits in one period is the figure of docs/limiters.md
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/readme.inc';

use FrequencyLimit\{Clock, Limit, Limiter, Period};

const LIMIT = 6;
const PERIOD_MS = 60_000;
const START = 1_900_000_020; // a whole minute

/** Asks at each of these milliseconds as often as it is admitted; when it was. */
function admitted(Limiter $limiter, array $moments): array
{
	Clock::freeze(START);
	$now = 0;
	$admitted = [];
	foreach ($moments as $moment) {
		Clock::advance(($moment - $now) / 1000);
		$now = $moment;
		while ($limiter->consume('x')->accepted) {
			$admitted[] = $moment;
			if ($moment === 0 && count($admitted) === 1) {
				break; // one call alone begins
			}
		}
	}
	Clock::unfreeze();
	return $admitted;
}

/** The most of them within one half-open interval of a period. */
function most(array $admitted): int
{
	$most = 0;
	foreach ($admitted as $begin) {
		$within = array_filter($admitted, fn (int $m): bool => $m >= $begin && $m < $begin + PERIOD_MS);
		$most = max($most, count($within));
	}
	return $most;
}

preg_match_all('/^\| `(\w+)\(.*?\)` \|.*?\| ([^|]+) \|$/m', readme('docs/limiters.md'), $rows, PREG_SET_ORDER);
$told = array_column($rows, 2, 1);

foreach ([
	['fixedWindow', Limit::fixedWindow(LIMIT, 60), '2 × limit − 1', 2 * LIMIT - 1],
	['calendar', Limit::calendar(LIMIT, Period::Minute, 'UTC'), '2 × limit', 2 * LIMIT],
	['slidingLog', Limit::slidingLog(LIMIT, 60), 'limit', LIMIT],
	['slidingWindow', Limit::slidingWindow(LIMIT, 60), 'limit', LIMIT],
	['tokenBucket', Limit::tokenBucket(LIMIT, 60, burst: 10), 'burst + rate − 1', 10 + LIMIT - 1],
] as $n => [$name, $limit, $formula, $worst]) {
	same($formula, $told[$name] ?? null, "$name in docs/limiters.md");
	$limiter = new Limiter("worst.$n", $limit);

	// One call, silence, all that passes around the edge of its window; then the same around one of the clock.
	$most = most(admitted($limiter, [0, 59_999, 60_000, ...range(61_000, 119_000, 1000), 239_999, 240_000]));
	same($worst, $most, "$name: the worst case is reached");
	$limiter->reset('x');

	mt_srand(1);
	for ($round = 0; $round < 20; $round++) {
		$moments = array_map(fn (): int => mt_rand(0, 300_000), range(1, 60));
		sort($moments);
		ok(most(admitted($limiter, array_values(array_unique($moments)))) <= $worst, "$name: never more");
		$limiter->reset('x');
	}
}

done();
?>
--EXPECT--
done
