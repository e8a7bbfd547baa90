--TEST--
Concurrent processes are admitted exactly the limit by every algorithm
--EXTENSIONS--
ratelimit
pcntl
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'stopped redis'); ?>
--FILE--
<?php
require __DIR__ . '/scenario.inc';

use FrequencyLimit\{Limit, Period};

const PROCESSES = 8;

/** Returns the admissions of all processes together, with so many calls each. */
function admitted(FrequencyLimit\Limiter $limiter, int $tries, int $cost): int
{
	return array_sum(in_processes(PROCESSES, function () use ($limiter, $tries, $cost) {
		$n = 0;
		for ($i = 0; $i < $tries; $i++) {
			$n += $limiter->consume('x', $cost)->accepted ? $cost : 0;
		}
		return $n;
	}));
}

foreach (ALGORITHMS as $algorithm) {
	foreach ([[100, 1, 100], [1, 1, 1], [1000, 1, 1000], [100, 3, 99]] as [$number, $cost, $expected]) {
		$limiter = limiter(limit($algorithm, $number));
		same($expected, admitted($limiter, intdiv($number, $cost * 4) + 1, $cost), "$algorithm($number), cost $cost");
	}
}
/* Decided together: neither counts a refusal of the other. */
$limiter = limiter(...array_map(fn ($algorithm) => limit($algorithm, 100), ALGORITHMS), ...[Limit::fixedWindow(37, 3600)]);
same(37, admitted($limiter, 20, 1), 'several');
same(63, limiter_left($limiter), 'what the others have left');

/** Returns the remaining permits of the limits of 100, when no other limit refuses. */
function limiter_left(FrequencyLimit\Limiter $limiter): int
{
	$limiter = new FrequencyLimit\Limiter('scenario ' . (5 * 4), array_map(fn ($algorithm) => limit($algorithm, 100), ALGORITHMS));
	return $limiter->peek('x')->remaining + 1;
}

/* Credits and calls at once: never more are out than the limit. */
foreach (ALGORITHMS as $algorithm) {
	$limiter = limiter(limit($algorithm, 20));
	$out = array_sum(in_processes(PROCESSES, function () use ($limiter) {
		$out = 0;
		for ($i = 0; $i < 50; $i++) {
			if ($limiter->consume('x')->accepted) {
				$out++;
				if ($i % 3 === 0) {
					$limiter->credit('x');
					$out--;
				}
			}
		}
		return $out;
	}));
	same(20, $out, "$algorithm, with credits");
}

/* One booking of a moment, by any process. */
$limiter = limiter(Limit::slidingLog(3, 60), Limit::calendar(5, Period::Hour, 'UTC'));
$booked = array_merge(...in_processes(PROCESSES, function () use ($limiter) {
	$booked = [];
	for ($i = 0; $i < 10; $i++) {
		if ($limiter->reserve('x', intdiv(START, 1_000_000) + 1000 + 7 * $i)->accepted) {
			$booked[] = 1000 + 7 * $i;
		}
	}
	return $booked;
}));
/* 1000, 1007 … 1063: 1060 and later do not count the first. */
between(3, count($booked), 5, 'bookings');
sort($booked);
between(1, Model\Traffic::most($booked, 60), 3, 'bookings in a minute');

/* Many identities in one call. */
$limiter = limiter(Limit::fixedWindow(10, 60));
$many = array_sum(in_processes(PROCESSES, fn () => count(array_filter(
	$limiter->consumeMany([1, 2, 3, 1, 2, 3, 'a', 'a', 'a', 'a'], 1), fn ($r) => $r->accepted))));
same(4 * 10, $many, 'consumeMany');
done();
?>
--EXPECT--
done
