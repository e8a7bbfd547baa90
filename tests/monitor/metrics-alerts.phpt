--TEST--
promtool: each alert of examples/monitoring fires within two minutes of its cause, and none on an ordinary day
--SKIPIF--
<?php
require __DIR__ . '/metrics.inc';
needs_program('promtool');
if (getenv('SKIP_SLOW_TESTS')) {
	die('skip takes a minute');
}
?>
--FILE--
<?php
require __DIR__ . '/metrics.inc';

const STEP = 30, DAY = 86400;
/* The moment of the cause: there is a day of history before it. */
const CAUSE = DAY + 3600, END = CAUSE + 300;

/** Returns the calls until a moment, of a rate in the middle of the day's curve: at night a tenth of the evening's. */
function curve(float $t, float $rate): float
{
	return $rate * ($t - .82 * DAY / (2 * M_PI) * sin(2 * M_PI * $t / DAY));
}

/** Returns the calls since the cause. */
function since(float $t, float $rate, int $begin = CAUSE): float
{
	return max(0, $t - $begin) * $rate;
}

/**
 * An ordinary site: two machines, a busy limiter with 1 % refused, an action, a quiet limiter, one that is new in the evening, bans now
 * and then, single failures of Redis, and a restart of a machine, which takes one scrape.
 *
 * @return array<string, Closure(int): ?float>
 */
function ordinary(): array
{
	$series = [];
	foreach (['a:80', 'b:80'] as $instance) {
		$restart = $instance === 'b:80' ? DAY + 1800 : PHP_INT_MAX;
		$of = static fn (Closure $count): Closure => static fn (int $t): ?float => $t === $restart ? null : floor($t < $restart ? $count($t) : $count($t) - $count($restart));
		$at = "job=\"ratelimit\",instance=\"$instance\"";
		$series += [
			"up{{$at}}" => static fn (int $t): float => $t === $restart ? 0 : 1,
			"ratelimit_segment_bytes{{$at}}" => static fn (int $t): ?float => $t === $restart ? null : 33554432,
			"ratelimit_config_warnings{{$at}}" => static fn (int $t): ?float => $t === $restart ? null : 0,
			"ratelimit_redis_breaker{{$at},server=\"r:6379\",ratelimit_redis_breaker=\"closed\"}" => static fn (int $t): ?float => $t === $restart ? null : 1,
			"ratelimit_decisions_total{{$at},store=\"redis\"}" => $of(static fn (int $t): float => curve($t, 600)),
			"ratelimit_fallbacks_total{{$at}}" => $of(static fn (int $t): float => curve($t, .3)),
			"ratelimit_errors_total{{$at},store=\"shm\"}" => $of(static fn (): float => 0),
			"ratelimit_evictions_total{{$at}}" => $of(static fn (int $t): float => $t / 600),
			"ratelimit_limiter_decisions_total{{$at},kind=\"limiter\",name=\"busy\"}" => $of(static fn (int $t): float => curve($t, 500)),
			"ratelimit_limiter_refusals_total{{$at},kind=\"limiter\",name=\"busy\"}" => $of(static fn (int $t): float => curve($t, 5)),
			"ratelimit_limiter_bans_total{{$at},kind=\"limiter\",name=\"busy\"}" => $of(static fn (int $t): float => curve($t, .2)),
			"ratelimit_limiter_refusals_total{{$at},kind=\"action\",name=\"like\"}" => $of(static fn (int $t): float => curve($t, 3)),
			"ratelimit_limiter_decisions_total{{$at},kind=\"limiter\",name=\"quiet\"}" => $of(static fn (int $t): float => $t / 10),
			"ratelimit_limiter_refusals_total{{$at},kind=\"limiter\",name=\"quiet\"}" => $of(static fn (int $t): float => $t / 1000),
			"ratelimit_limiter_bans_total{{$at},kind=\"limiter\",name=\"quiet\"}" => $of(static fn (int $t): float => $t / 10000),
		];
		/* It is deployed at once, in the evening, and 1 % of its calls are refused, too. */
		foreach (['decisions' => 300, 'refusals' => 3, 'bans' => .2] as $what => $rate) {
			$series["ratelimit_limiter_{$what}_total{{$at},kind=\"limiter\",name=\"new\"}"] = static fn (int $t): ?float
				=> $t < DAY / 2 || $t === $restart ? null : $of(static fn (int $t): float => ($t - DAY / 2) * $rate)($t);
		}
	}
	return $series;
}

/**
 * Runs promtool over the rules.
 *
 * @param array<string, Closure(int): ?float> $series
 * @param array<string, array<int, bool>> $fires labels of an alert => seconds after the cause => whether it fires
 */
function promtool(string $what, array $series, array $fires): void
{
	$values = static function (Closure $of): string {
		$all = [];
		for ($t = 0; $t <= END; $t += STEP) {
			$value = $of($t);
			$all[] = $value === null ? 'stale' : (string) $value;
		}
		return implode(' ', $all);
	};
	$test = "rule_files: ['" . realpath(__DIR__ . '/../../examples/monitoring/rules.yml') . "']\nevaluation_interval: 30s\ntests:\n  - interval: " . STEP . "s\n    input_series:\n";
	foreach ($series as $name => $of) {
		$test .= "      - series: '$name'\n        values: '" . $values($of) . "'\n";
	}
	$test .= "    promql_expr_test:\n";
	foreach ($fires as $alert => $moments) {
		foreach ($moments as $seconds => $isFiring) {
			$expression = json_encode("count(ALERTS{" . $alert . "alertstate=\"firing\"})" . ($isFiring ? ' > bool 0' : ''));
			$test .= "      - expr: $expression\n        eval_time: " . (CAUSE + $seconds) . "s\n        exp_samples: " . ($isFiring ? "[{labels: '{}', value: 1}]" : '[]') . "\n";
		}
	}
	$file = temp_folder() . '/test.yml';
	file_put_contents($file, $test);
	[$exit, $said] = run_command(['promtool', 'test', 'rules', $file]);
	same(0, $exit, "$what: " . substr($said, 0, 2000));
}

/* None fires, at any moment. */
promtool('an ordinary day', ordinary(), ['' => array_fill_keys(range(-CAUSE, 300, 60), false)]);

/* What goes wrong at the moment of the cause, at one machine. */
$a = 'job="ratelimit",instance="a:80"';
$series = ordinary();
$more = static function (string $name, float $rate) use (&$series): void {
	$before = $series[$name];
	$series[$name] = static fn (int $t): ?float => ($n = $before($t)) === null ? null : $n + since($t, $rate);
};
$of = static fn (string $what, string $name, string $kind = 'limiter'): string => "ratelimit_limiter_{$what}_total{{$a},kind=\"$kind\",name=\"$name\"}";
$born = static fn (float $rate): Closure => static fn (int $t): ?float => $t < CAUSE ? null : since($t, $rate);
$within = [-30 => false, 120 => true, 300 => true];

/* Floods, and waves of bans. */
$more($of('refusals', 'quiet'), 20);
$more($of('decisions', 'quiet'), 20);
$more($of('refusals', 'busy'), 200);
$more($of('refusals', 'like', 'action'), 100);
$more($of('refusals', 'new'), 400);
$more($of('decisions', 'new'), 400);
$more($of('bans', 'quiet'), 1);
$series[$of('refusals', 'unknown')] = $born(20);
$series[$of('decisions', 'unknown')] = $born(25);
$series[$of('bans', 'unknown')] = $born(1);
$series[$of('refusals', 'clicked', 'action')] = $born(900);
$more("ratelimit_decisions_total{{$a},store=\"redis\"}", 1900);
$moments = [];
foreach (['quiet', 'busy', 'like', 'new', 'unknown', 'clicked'] as $name) {
	$moments["alertname=\"RatelimitFlood\",name=\"$name\","] = $within;
}
foreach (['quiet' => $within, 'unknown' => $within, 'busy' => [300 => false]] as $name => $when) {
	$moments["alertname=\"RatelimitBansMany\",name=\"$name\","] = $when;
}
promtool('floods', $series, $moments);

/* Machines. */
$series = ordinary();
$more("ratelimit_fallbacks_total{{$a}}", 100);
$series["ratelimit_redis_breaker{{$a},server=\"r:6379\",ratelimit_redis_breaker=\"closed\"}"] = static fn (int $t): float => $t < CAUSE ? 1 : 0;
$series['up{job="ratelimit",instance="silent"}'] = static fn (int $t): float => $t < CAUSE ? 1 : 0;
$series['ratelimit_segment_bytes{job="other",instance="gone"}'] = static fn (int $t): ?float => $t < CAUSE ? 1 : null;
$series['ratelimit_segment_bytes{job="ratelimit",instance="none"}'] = static fn (int $t): float => $t < CAUSE ? 1 : 0;
promtool('machines', $series, [
	'alertname="RatelimitFallsBack",instance="a:80",' => $within,
	'alertname="RatelimitRedisIsAway",instance="a:80",' => $within,
	'alertname="RatelimitIsLost",instance="silent",' => $within,
	'alertname="RatelimitIsLost",instance="gone",' => $within,
	'alertname="RatelimitHasNoSegment",instance="none",' => $within,
	'instance="b:80",' => [300 => false],
]);
done();
?>
--EXPECT--
done
