--TEST--
The reference model agrees with naive second formulations, and honours its own retryAfter
--INI--
opcache.jit=disable
--FILE--
<?php
/* Nothing but PHP runs here, and PHP 8.4's tracing JIT miscompiles it, with or without the extension. */
require __DIR__ . '/../model/model.inc';
require __DIR__ . '/../include/assert.inc';
use Model\{Generator, Limiter, ModelPlayer, Spec};

/* 1. One limit, calls of any cost at random moments, decided only by the list of admissions. */
$naive = [
	'fixedWindow' => function (array $admitted, int $now, int $limit, int $period): int {
		$end = 0;
		$count = 0;
		foreach ($admitted as [$m, $cost]) {
			if ($m >= $end) {
				[$end, $count] = [intdiv($m + $period + 999, 1000) * 1000, 0]; /* a whole millisecond, rounded up */
			}
			$count += $cost;
		}
		return $now >= $end ? 0 : $count;
	},
	'slidingLog' => fn (array $admitted, int $now, int $limit, int $period): int
		=> array_sum(array_map(fn ($a) => $a[0] > $now - $period ? $a[1] : 0, $admitted)),
	/* An admission in a part counts until the whole part is a period old; without a count, the parts begin again. */
	'slidingWindow' => function (array $admitted, int $now, int $limit, int $period): int {
		$part = intdiv($period + 29, 30);
		$origin = null;
		$leaves = 0;
		$used = 0;
		foreach ($admitted as [$m, $cost]) {
			if ($origin === null || $m >= $leaves) {
				$origin = $m;
				$used = 0;
			}
			$leaves = $m - ($m - $origin) % $part + $part + $period;
			$used += $leaves > $now ? $cost : 0;
		}
		return $used;
	},
	/* A level that rises by rate / period in each us, in units of 1 / period permits. */
	'tokenBucket' => function (array $admitted, int $now, int $limit, int $period): int {
		$rate = 3;
		$level = $limit * $period;
		$then = 0;
		foreach ([...$admitted, [$now, 0]] as [$m, $cost]) {
			$level = min($limit * $period, $level + ($m - $then) * $rate) - $cost * $period;
			$then = $m;
		}
		return (int) ceil(($limit * $period - $level) / $period);
	},
];
$decisions = 0;
foreach ($naive as $algorithm => $used) {
	for ($seed = 1; $seed <= 60; $seed++) {
		mt_srand($seed);
		$limit = mt_rand(1, 12);
		$period = mt_rand(1000, 60_000);
		$spec = match ($algorithm) {
			'fixedWindow' => Spec::fixed($limit, $period),
			'slidingLog' => Spec::log($limit, $period),
			'slidingWindow' => Spec::window($limit, $period),
			'tokenBucket' => Spec::bucket(3, $period, $limit),
		};
		$limiter = new Limiter([$spec]);
		$admitted = [];
		for ($now = $period, $i = 0; $i < 60; $i++, $now += mt_rand(0, 1) * mt_rand(0, intdiv($period, mt_rand(1, 8)))) {
			$cost = mt_rand(1, max(1, intdiv($limit, 2)));
			$before = $used($admitted, $now, $limit, $period);
			$passes = $before + $cost <= $limit;
			$verdict = $limiter->consume('x', $cost, $now);
			if ($passes) {
				$admitted[] = [$now, $cost];
			}
			same([$passes, $limit - $before - ($passes ? $cost : 0)], [$verdict->reason === 'accepted', $verdict->remaining],
				"$algorithm, seed $seed, call $i");
			$decisions++;
		}
	}
}
ok($decisions === 4 * 60 * 60, "$decisions decisions");

/* 2. After retryAfter the same call passes, and a microsecond earlier it does not; peek() says what consume() would;
 * a refusal leaves the state as it was. Not for turns of calendars behind the next window, which a call does not know; nor,
 * in few programs, where another limit state is the fullest then. */
$refused = 0;
foreach (array_slice(Generator::KINDS, 1) as $kind) {
	for ($seed = 1; $seed <= 25; $seed++) {
		$program = (new Generator($kind, 1000))->program($seed, 60);
		$model = new ModelPlayer($program);
		foreach ($program->calls as $i => $call) {
			$before = serialize($model->limiter);
			$model->play($call);
			$verdict = $model->verdict;
			$algorithms = array_map(fn ($limit) => $limit->algorithm, $model->limiter->limits);
			if (!$verdict || !in_array($call[0], ['consume', 'peek', 'check'], true)) {
				continue;
			}
			if ($verdict->reason === 'limited' || $verdict->reason === 'too_expensive' || $call[0] === 'peek') {
				ok(serialize($model->limiter) === $before, "$program->seed, call $i: a trace");
			}
			[$cost, $options] = [$call[2], array_slice($call + [3 => 0, null], 3)];
			$would = unserialize($before)->consume($call[1], $cost, $model->now, ...$options);
			same((string) $would, (string) $verdict, "$program->seed, call $i: peek");
			if (!$verdict->retry || $kind === 'permitsCalendarSetBack' || str_starts_with($kind, 'booking') && in_array(Model\Spec::CALENDAR, $algorithms, true) || count($algorithms) > 1 && !in_array($kind, ['compound', 'permitsCompound', 'concurrent', 'twins', 'permitsTwins'], true)) {
				continue;
			}
			$refused++;
			foreach ([[$verdict->retry, true], [$verdict->retry - 1, false]] as [$later, $passes]) {
				$copy = unserialize($before);
				$copy->consume($call[1], $cost, $model->now, ...$options);
				same($passes, $copy->consume($call[1], $cost, $model->now + $later, ...$options)->reason === 'accepted',
					"$program->seed, call $i, $later us later");
			}
		}
	}
}
ok($refused > 300, "$refused refusals");
done();
--EXPECT--
done
