--TEST--
Functions with random #[RateLimit], names, labels, shadows and none(): exactly what the tightest limit admits passes
--EXTENSIONS--
ratelimit
--FILE--
<?php
/* Random limiters, and functions that name some of them. Each function admits what the tightest limit does that refuses at all. */
require __DIR__ . '/../include/assert.inc';

use FrequencyLimit\{Limit, Limiter, LimitExceeded, RateLimit, Request};

function one_of(array $values): mixed
{
	return $values[mt_rand(0, count($values) - 1)];
}

/** Defines a limiter. Returns an attribute that names it, and the calls that pass; INF: all. */
function random_limiter(string $name): array
{
	if (mt_rand(0, 7) === 0) {
		Limiter::define(new Limiter($name, Limit::none()));
		return ["RateLimit('$name', id: 'account')", INF];
	}
	$labels = mt_rand(0, 4) === 0 ? ['user', 'tenant'] : [];
	$shadows = mt_rand(0, 4) === 0;
	$cost = mt_rand(1, 3);
	$passes = INF;
	$limits = [];
	for ($i = mt_rand(1, 2); $i > 0; $i--) {
		$room = mt_rand($cost, 12);
		$limit = one_of([Limit::fixedWindow(...), Limit::slidingLog(...), Limit::slidingWindow(...)])($room, 3600);
		if (mt_rand(0, 2) === 0) {
			$limit = $limit->named(one_of([$name, 'default', 'minute']) . $i);
		}
		if ($labels) {
			$limit = $limit->by($labels[$i % 2]);
		} elseif ($shadows || mt_rand(0, 4) === 0) {
			$limit = $limit->shadow();
			$room = INF;
		}
		$limits[] = $limit;
		$passes = min($passes, $room === INF ? INF : intdiv($room, $cost));
	}
	Limiter::define(new Limiter($name, $limits));
	$used = array_unique(array_map(fn (int $i): string => $labels[$i % 2] ?? '', range(1, count($limits))));
	$id = $labels ? '[' . implode(', ', array_map(fn (string $label): string => "'$label' => 'account'", $used)) . ']' : "'account'";
	return ["RateLimit('$name', cost: $cost, id: $id)", $passes];
}

$seed = (int) (getenv('SEED') ?: random_int(1, 1 << 30));
mt_srand($seed);
for ($round = 0; $round < 300; $round++) {
	$limiters = array_map(random_limiter(...), array_map(fn (int $i): string => "limiter$i", range(1, mt_rand(1, 4))));
	$attributes = implode(', ', array_map(fn (array $limiter): string => 'FrequencyLimit\\' . $limiter[0], $limiters));
	$object = eval("return new class { #[$attributes] public function call(int|string \$account): bool { return true; } };");
	$passes = (int) min(15, ...array_column($limiters, 1));
	$account = one_of([$round, "account $round"]);
	for ($n = 0; $n < 15; $n++) {
		try {
			$object->call($account);
			if ($n >= $passes) {
				break;
			}
		} catch (LimitExceeded $e) {
			$e->result->problem();
			break;
		}
		Request::lastResult()->headers(legacy: true);
	}
	same($passes, $n, "seed $seed, round $round: the calls of #[$attributes] that pass");
}
echo 'done';
?>
--EXPECT--
done
