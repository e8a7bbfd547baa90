--TEST--
A shadow limit changes no answer of the limits beside it, and refuses what it would refuse alone
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'redis'); ?>
--FILE--
<?php
/* A limiter with shadow limits against one without them and one that enforces them: random programs on one store. */

require __DIR__ . '/../include/stores.inc';
require_once __DIR__ . '/../include/assert.inc';
use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Period;

/** @return list<Limit> of one algorithm and, mostly, of one period */
function random_limits(bool $can_ban): array
{
	$limits = [];
	foreach (range(1, mt_rand(1, 2)) as $i) {
		$number = mt_rand(1, 6);
		$seconds = [3600, 3600, 7200][mt_rand(0, 2)];
		$limit = match (mt_rand(0, 5)) {
			0 => Limit::fixedWindow($number, $seconds),
			1 => Limit::slidingLog($number, $seconds),
			2 => Limit::slidingWindow($number, $seconds),
			3 => Limit::tokenBucket($number, $seconds),
			4 => Limit::calendar($number, Period::Month, 'UTC'),
			5 => Limit::concurrent($number, $seconds),
		};
		$limits[] = $can_ban && $limit->algorithm !== 'concurrent' && mt_rand(0, 2) === 0 ? $limit->ban(1800) : $limit;
	}
	return $limits;
}

/** What a Result says, but the times where the clock runs, and the shadow. */
function facts(mixed $result, bool $exact): mixed
{
	if (!$result instanceof FrequencyLimit\Result) {
		return $result;
	}
	$facts = get_object_vars($result);
	unset($facts['shadow']);
	if (!$exact) {
		$facts = array_diff_key($facts, ['retryAfter' => true, 'resetAfter' => true, 'nextAfter' => true]);
		$facts['limits'] = array_map(fn (array $limit): array => array_diff_key($limit, ['resetAfter' => true]), $facts['limits']);
		/* Of two limits that refuse for an hour the later end decides: a millisecond of the clock is enough. */
		if (!$result->accepted && count($facts['limits']) > 1) {
			unset($facts['limit'], $facts['remaining'], $facts['name']);
		}
	}
	return $facts;
}

function scenario(TestStore $store): void
{
	$seed = (int) (getenv('SEED') ?: random_int(1, PHP_INT_MAX));
	mt_srand($seed);
	$exact = $store->name() === 'shm';
	$refused = $named = 0;
	for ($program = 0; $program < ($exact ? 150 : 40); $program++) {
		$enforced = random_limits(true);
		/* Often the same algorithm and period as an enforced limit. */
		$shadows = mt_rand(0, 1) ? random_limits(true) : array_map(fn (Limit $limit) => Limit::parse(preg_replace('/\d+/', (string) mt_rand(1, 6), (string) $limit, 1)), $enforced);
		$with = new Limiter("with $program", [...array_map(fn (Limit $limit) => $limit->shadow(), $shadows), ...$enforced]);
		$without = new Limiter("without $program", $enforced);
		$alone = new Limiter("alone $program", $shadows);
		$places = array_filter([...$enforced, ...$shadows], fn (Limit $limit) => $limit->algorithm === 'concurrent') !== [];
		$permits = [];
		for ($step = 0; $step < 25; $step++) {
			$what = "seed $seed, program $program: " . implode(' ', $enforced) . ' with ' . implode(' ', $shadows) . ", step $step";
			$cost = mt_rand(1, 3);
			$op = $places ? ['acquire', 'acquire', 'settle', 'release', 'peek', 'reset'][mt_rand(0, 5)] : ['consume', 'consume', 'consume', 'allow', 'peek', 'acquire', 'settle', 'credit', 'consumeMany', 'reset'][mt_rand(0, 9)];
			if ($op === 'reset' && mt_rand(0, 2)) {
				continue;
			}
			if ($op === 'acquire') {
				$set = [$with->acquire('x', $cost), $without->acquire('x', $cost), $alone->acquire('x', $cost)];
				same(facts($set[1]->result, $exact), facts($set[0]->result, $exact), "$what: acquire($cost)");
				$shadow = [$set[0]->result->shadow, $set[2]->result];
				$permits[] = $set;
			} elseif ($op === 'settle' || $op === 'release') {
				$set = array_pop($permits);
				if ($set === null) {
					continue;
				}
				$arguments = $op === 'settle' ? [mt_rand(0, 4)] : [];
				same(facts($set[1]->$op(...$arguments), $exact), facts($set[0]->$op(...$arguments), $exact), "$what: $op()");
				/* The end of the enforced permit ends the shadow's; one that was refused holds nothing of its own. */
				if ($set[0]->result->accepted) {
					$set[2]->$op(...$arguments);
				}
				unset($set);
				continue;
			} elseif ($op === 'consumeMany') {
				$results = [$with->consumeMany(['x', 'y'], $cost), $without->consumeMany(['x', 'y'], $cost), $alone->consumeMany(['x', 'y'], $cost)];
				foreach ([0, 1] as $i) {
					same(facts($results[1][$i], $exact), facts($results[0][$i], $exact), "$what: consumeMany($cost)");
				}
				$shadow = [$results[0][0]->shadow, $results[2][0]];
			} elseif (in_array($op, ['consume', 'peek'], true)) {
				$results = [$with->$op('x', $cost), $without->$op('x', $cost), $alone->$op('x', $cost)];
				same(facts($results[1], $exact), facts($results[0], $exact), "$what: $op($cost)");
				$shadow = [$results[0]->shadow, $results[2]];
			} else {
				$arguments = $op === 'reset' ? ['x'] : ['x', $cost];
				same($without->$op(...$arguments), $with->$op(...$arguments), "$what: $op($cost)");
				$alone->$op(...$arguments);
				$shadow = null;
			}
			if ($shadow !== null) {
				/* The shadow refuses what it would refuse as enforced, alone. */
				[$name, $result] = $shadow;
				same(!$result->accepted, $name !== null, "$what: $op($cost): the shadow");
				$refused += !$result->accepted;
				$named += $name !== null && in_array($name, array_map(fn (Limit $limit) => (string) $limit->shadow(), $shadows), true);
			}
			if ($exact && mt_rand(0, 2) === 0) {
				$store->advance(mt_rand(1, 2400));
			}
		}
	}
	ok($refused > 50 && $refused === $named, "$refused would be refused, $named named");
}

scenario(each_store('embedded', 'redis'));
done();
?>
--EXPECT--
done
