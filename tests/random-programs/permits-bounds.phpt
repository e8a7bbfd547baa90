--TEST--
The permits that were not given back never exceed the limit: of a window, any interval, or a bucket
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
date.timezone=UTC
--FILE--
<?php
require __DIR__ . '/../model/model.inc';
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{Limit, Limiter, Period, Result};

const LIMIT = 10;
const MS = 60_000; // the period of all limits

/** Returns the most that stands in any interval of so many ms, [from, from + length). */
function most(array $stands, int $length): int
{
	$most = 0;
	foreach ($stands as [$from]) {
		$most = max($most, array_sum(array_map(fn ($s) => $s[0] >= $from && $s[0] < $from + $length ? $s[1] : 0, $stands)));
	}
	return $most;
}

/** Does each algorithm keep its bound? $stands: the turn in ms, the permits, and the end of their window. */
$bounds = [
	'fixedWindow' => fn (array $stands) => count($stands) && max(array_map(
		fn ($end) => array_sum(array_map(fn ($s) => $s[2] === $end ? $s[1] : 0, $stands)), array_column($stands, 2))) <= LIMIT,
	'calendar' => fn (array $stands) => count($stands) && max(array_map(
		fn ($s) => array_sum(array_map(fn ($o) => intdiv($o[0], MS) === intdiv($s[0], MS) ? $o[1] : 0, $stands)), $stands)) <= LIMIT,
	'slidingLog' => fn (array $stands) => most($stands, MS) <= LIMIT,
	'slidingWindow' => fn (array $stands) => most($stands, MS) <= LIMIT,
	'tokenBucket' => function (array $stands): bool {
		sort($stands);
		foreach ($stands as $i => [$from]) {
			$sum = 0;
			foreach (array_slice($stands, $i) as [$to, $n]) {
				$sum += $n;
				if ($sum > LIMIT + ($to - $from) * LIMIT / MS) {
					return false;
				}
			}
		}
		return true;
	},
];
$limits = [
	'fixedWindow' => Limit::fixedWindow(LIMIT, MS / 1000),
	'calendar' => Limit::calendar(LIMIT, Period::Minute),
	'slidingLog' => Limit::slidingLog(LIMIT, MS / 1000),
	'slidingWindow' => Limit::slidingWindow(LIMIT, MS / 1000),
	'tokenBucket' => Limit::tokenBucket(LIMIT, MS / 1000),
];

/* The end of the fixed window that holds a turn: the windows follow each other from the first one on. */
$window = function (Result $result, int $now, int $turn): int {
	$end = $now + (int) round($result->resetAfter * 1000);
	return $end - intdiv($end - $turn - 1, MS) * MS;
};

$refused = $given_back = $waited = 0;
foreach ($limits as $algorithm => $limit) {
	$limiter = new Limiter("bounds $algorithm", $limit);
	for ($program = 1; $program <= 40; $program++) {
		mt_srand($program);
		$time = new Model\FrozenTime;
		$time->start(1_900_000_000_000_000);
		$now = 1_900_000_000_000;
		$stands = $permits = [];
		for ($call = 0; $call < 120; $call++) {
			$step = mt_rand(0, 2) ? 0 : mt_rand(1, mt_rand(0, 3) ? 4000 : MS);
			if ($step > 0) {
				$time->advance($step * 1000);
				$now += $step;
			}
			if ($permits && mt_rand(0, 2) === 0) {
				$i = array_rand($permits);
				$less = mt_rand(0, 1) ? 0 : mt_rand(0, $stands[$i][1]);
				$stands[$i][1] -= $stands[$i][1] - $less;
				mt_rand(0, 1) && $less === 0 ? $permits[$i]->cancel() : $permits[$i]->settle($less);
				unset($permits[$i]);
				$given_back++;
				continue;
			}
			$permit = $limiter->acquire($program, mt_rand(1, 5), mt_rand(0, 1) ? 0 : mt_rand(0, 200));
			$result = $permit->result;
			if (!$result->accepted) {
				$refused++;
				continue;
			}
			$turn = $now + (int) round($result->wait * 1000);
			$waited += $result->wait > 0 ? 1 : 0;
			$stands[$call] = [$turn, $result->granted, $algorithm === 'fixedWindow' ? $window($result, $now, $turn) : 0];
			if (mt_rand(0, 3)) {
				$permits[$call] = $permit;
			} else {
				$permit->release();
			}
		}
		ok($bounds[$algorithm]($stands), "$algorithm, program $program: more than the limit stands");
		$limiter->reset($program);
		foreach ($permits as $permit) {
			$permit->release();
		}
	}
}
ok($refused > 1000 && $given_back > 1000 && $waited > 300, "$refused refused, $given_back given back, $waited waited");

/* A call that is cancelled is as one that never was: two identities make the same calls, one of them one more, which ends
 * between the others. Only the ends of windows and buckets may be compared as long as everything passes. */
$compared = 0;
foreach (['fixedWindow', 'calendar', 'tokenBucket'] as $algorithm) {
	/* A permit of the bucket takes a second, so that no part of a microsecond is lost. */
	$limiter = new Limiter("never was $algorithm", $algorithm === 'tokenBucket' ? Limit::tokenBucket(60, 60) : $limits[$algorithm]);
	for ($program = 1; $program <= 150; $program++) {
		mt_srand($program);
		$time = new Model\FrozenTime;
		$time->start(1_900_000_000_000_000);
		[$with, $without] = ["with $program", "without $program"];
		$extra = array_map(fn () => mt_rand(0, 9), range(1, $algorithm === 'tokenBucket' ? mt_rand(1, 3) : 1));
		$ends = array_map(fn ($at) => mt_rand($at, 12), $extra);
		$held = [];
		$both = true;
		for ($call = 0; $call < 13 && $both; $call++) {
			foreach (array_keys($extra, $call, true) as $i) {
				/* Never the first call of a window: that one begins it. */
				if ($call > 0 || $algorithm !== 'fixedWindow') {
					$held[$i] = $limiter->acquire($with, mt_rand(1, 3));
				}
			}
			if ($call < 10) {
				/* With a permit, so that both number their takes alike. */
				$cost = mt_rand(1, $algorithm === 'tokenBucket' ? 8 : 1);
				[$a, $b] = [$limiter->acquire($with, $cost), $limiter->acquire($without, $cost)];
				$both = $a->result->accepted && $b->result->accepted;
				$a->release();
				$b->release();
			}
			foreach ($held as $i => $permit) {
				if ($ends[$i] <= $call) {
					$permit->cancel();
				}
			}
			$time->advance(mt_rand(0, 12_000) * 1000);
		}
		foreach ($held as $permit) {
			$permit->cancel();
		}
		/* A window that only the extra call began is over, or empty. */
		[$a, $b] = [$limiter->peek($with), $limiter->peek($without)];
		if ($both && $algorithm !== 'fixedWindow') {
			same([$b->accepted, $b->remaining, $b->resetAfter], [$a->accepted, $a->remaining, $a->resetAfter], "$algorithm, program $program");
			$compared++;
		} elseif ($both && $a->resetAfter === $b->resetAfter) {
			same($b->remaining, $a->remaining, "$algorithm, program $program");
			$compared++;
		}
		$limiter->reset($with);
		$limiter->reset($without);
	}
}
ok($compared > 200, "$compared compared");
done();
?>
--EXPECT--
done
