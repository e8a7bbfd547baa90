<?php
/* One process of bench/attribute.sh: measures nanoseconds of a call above an empty loop, the smallest of several rounds.
 * Without the extension the attributes are unknown names. */

use FrequencyLimit\AccessLimit;

function without(int $x): int { return $x + 1; }

#[\Unknown(60, 5)]
function unknown(int $x): int { return $x + 1; }

final class C
{
	public function without(int $x): int { return $x + 1; }
}

#[AccessLimit(seconds: 3600, maxCount: 16_777_215)]
function admitted(int $x): int { return $x + 1; }

#[AccessLimit(seconds: 3600, maxCount: 1)]
function refused(int $x): int { return $x + 1; }

#[AccessLimit(seconds: 3600, maxCount: 16_777_215), AccessLimit(seconds: 86400, maxCount: 16_777_215)]
function two_limits(int $x): int { return $x + 1; }

/* Limits that no run reaches: above 262,143 calls a count is no word. */
#[AccessLimit(seconds: 3600, maxCount: 262_143)]
function by_path(int $x): int { return $x + 1; }

/** @param callable(int): void $loop */
function least(callable $loop, int $n): float
{
	$least = INF;
	for ($round = 0; $round < 9; $round++) {
		$start = hrtime(true);
		$loop($n);
		$least = min($least, (hrtime(true) - $start) / $n);
	}
	return $least;
}

if (PHP_SAPI === 'cli-server') {
	$empty = least(function (int $n) { for ($i = 0; $i < $n; $i++) { } }, 20_000);
	echo json_encode([
		'web' => least(function (int $n) { for ($i = 0; $i < $n; $i++) { by_path($i); } }, 20_000) - $empty,
		'doHandle' => least(function (int $n) { for ($i = 0; $i < $n; $i++) { FrequencyLimit::doHandle('page', 7, 3600, 10_000_000); } }, 20_000) - $empty,
	]);
	return;
}

$loops = [
	'empty' => [function (int $n) { for ($i = 0; $i < $n; $i++) { } }, 200_000],
	'function' => [function (int $n) { for ($i = 0; $i < $n; $i++) { without($i); } }, 200_000],
	'other attribute' => [function (int $n) { for ($i = 0; $i < $n; $i++) { unknown($i); } }, 200_000],
	'method' => [function (int $n) { $c = new C(); for ($i = 0; $i < $n; $i++) { $c->without($i); } }, 200_000],
];
if (extension_loaded('ratelimit') && ini_get('ratelimit.attributes')) {
	$limiter = new FrequencyLimit\Limiter('cost', FrequencyLimit\Limit::fixedWindow(16_777_215, 3600));
	$loops += [
		'admitted' => [function (int $n) { for ($i = 0; $i < $n; $i++) { admitted($i); } }, 20_000],
		'two limits' => [function (int $n) { for ($i = 0; $i < $n; $i++) { two_limits($i); } }, 20_000],
		'refused' => [function (int $n) { for ($i = 0; $i < $n; $i++) { try { refused($i); } catch (FrequencyLimit\LimitExceeded) { } } }, 5_000],
		'by hand' => [function (int $n) use ($limiter) { for ($i = 0; $i < $n; $i++) { if (!$limiter->consume('ip:local')->accepted) { exit('refused'); } without($i); } }, 20_000],
	];
	try {
		refused(1);
	} catch (Exception) {
	}
}
$figures = [];
foreach ($loops as $name => [$loop, $n]) {
	$figures[$name] = least($loop, $n) - ($figures['empty'] ?? 0);
}

/* 3,000 methods, compiled: a new file each time. */
$code = "namespace Compiled; class X%d {\n" . str_repeat("\t#[Route('/x', methods: ['GET'])]\n\tpublic function f%d(int \$a, string \$b = 'x'): array { return [\$a + 1, strlen(\$b), \$this->g(\$a ?? 2)]; }\n", 3000) . '}';
$least = INF;
for ($round = 0; $round < 5; $round++) {
	$text = vsprintf($code, [$round, ...range(1, 3000)]);
	$start = hrtime(true);
	eval($text);
	$least = min($least, (hrtime(true) - $start) / 1e6);
}
$figures['compiling'] = $least;
echo json_encode($figures);
