--TEST--
A third-party parser of structured fields reads the decision from the headers of random results
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
$folder = (string) getenv('STRUCTURED_FIELDS');
if ($folder === '' || !is_dir("$folder/node_modules/structured-headers")) {
	die('skip there is no parser: STRUCTURED_FIELDS names no folder where "npm install" was run with this folder\'s package.json (scripts/test.sh all does it, where npm is)');
}
?>
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{Clock, Limit, Limiter, Period};

$seed = random_int(0, PHP_INT_MAX);
mt_srand($seed);
Clock::freeze(1_900_000_000 + mt_rand(0, 1_000_000) / 7);

function random_name(): ?string
{
	$name = '';
	for ($i = mt_rand(0, 3) ? mt_rand(1, 64) : 0; $i > 0; $i--) {
		$name .= mt_rand(0, 4) ? chr(mt_rand(0x20, 0x7e)) : '"\\;,='[mt_rand(0, 4)];
	}
	return $name === '' ? null : $name;
}

/** @return array{Limit, ?string, int, int, ?string} a limit, its name, its q, its w and its qu */
function random_limit(): array
{
	$number = mt_rand(0, 1) ? mt_rand(1, 5) : mt_rand(1, 16_777_215);
	$seconds = [mt_rand(1, 2999) / 1000, mt_rand(1, 100), mt_rand(1, 315_360_000)][mt_rand(0, 2)];
	$name = random_name();
	$unit = random_name();
	[$limit, $window] = match (mt_rand(0, 4)) {
		0 => [Limit::fixedWindow($number, $seconds), $seconds],
		1 => [Limit::slidingLog($number = min($number, 10_000), $seconds), $seconds],
		2 => [Limit::slidingWindow($number, $seconds), $seconds],
		3 => [Limit::tokenBucket($number, $seconds), $seconds],
		4 => [Limit::calendar($number, Period::Hour, 'UTC'), 3600],
	};
	$limit = $unit === null ? $limit : $limit->unit($unit);
	return [$name === null ? $limit : $limit->named($name), $name, $number, max(1, (int) ceil($window)), $unit];
}

$fields = $expected = $results = [];
for ($i = 0; $i < 500; $i++) {
	$limits = array_map(fn () => random_limit(), range(1, mt_rand(1, 8)));
	$limiter = new Limiter("parsed$i", array_column($limits, 0));
	for ($j = mt_rand(1, 4); $j > 0; $j--) {
		$result = $limiter->consume(1, mt_rand(0, 3) ? 1 : mt_rand(1, min(array_column($limits, 2))));
	}
	$headers = $result->headers();
	array_push($fields, $headers['RateLimit-Policy'], $headers['RateLimit']);
	$expected[] = array_map(fn (array $limit, int $n): array => ['type' => 'string', 'item' => $limit[1] ?? ($n ? 'default-' . ($n + 1) : 'default'),
		'parameters' => [['q', $limit[2]], ...($limit[4] === null ? [] : [['qu', $limit[4]]]), ['w', $limit[3]]]], $limits, array_keys($limits));
	$results[] = [$result, $headers];
}

$process = proc_open(['node', __DIR__ . '/parse.mjs', realpath(getenv('STRUCTURED_FIELDS'))], [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes);
fwrite($pipes[0], json_encode($fields, JSON_THROW_ON_ERROR));
fclose($pipes[0]);
$parsed = json_decode(stream_get_contents($pipes[1]), true);
proc_close($process);
same(count($fields), count($parsed ?? []), 'all were parsed');

foreach ($results as $i => [$result, $headers]) {
	$what = "seed $seed, result $i, {$headers['RateLimit-Policy']} and {$headers['RateLimit']}";
	same($expected[$i], $parsed[2 * $i], "RateLimit-Policy: $what");
	/* Of a bucket with permits left it is the time until the next one. */
	$exact = !$result->accepted || $result->remaining === 0;
	$latest = (int) ceil($result->accepted ? min($result->resetAfter, $exact ? $result->nextAfter : INF) : max($result->retryAfter, 0.000001));
	$policies = array_column(array_map(fn (array $p): array => [$p['item'], $p['parameters'][0][1]], $expected[$i]), 1, 0);
	foreach ($parsed[2 * $i + 1] as $state) {
		same(['string', true, 'r', 't'], [$state['type'], isset($policies[$state['item']]), $state['parameters'][0][0], $state['parameters'][1][0]], "a limit: $what");
	}
	/* The deciding limit is one of them. */
	$deciding = array_filter($parsed[2 * $i + 1], fn (array $state): bool => $state['parameters'][0][1] === $result->remaining
		&& $policies[$state['item']] === $result->limit && $state['parameters'][1][1] <= $latest && $state['parameters'][1][1] >= ($exact ? $latest : 0));
	ok($deciding !== [], "the deciding limit: $what");
	$t = reset($deciding)['parameters'][1][1] ?? -1;
	same($result->accepted ? null : (string) $t, $headers['Retry-After'] ?? null, "Retry-After: $what");
}
done();
?>
--EXPECT--
done
