<?php
/* The table of bench/memory.sh: fills each store with identities and measures their memory. */
require __DIR__ . '/../tests/include/redis.inc';

use FrequencyLimit\{Limit, Limiter, Period};

/* Enough that the reserve of a few pages does not matter. */
const EMBEDDED_CALLS = 2_000_000;
const REDIS_CALLS = 400_000;
const IDENTITIES = 20_000;
const PLACES = 'concurrent limit, 2 places';

/* The admitted calls of an identity, for each limit. */
$cases = [
	['`doHandle()`, `check()`', null, 1],
	['fixed window', [Limit::fixedWindow(100, 3600)], 1],
	['calendar window', [Limit::calendar(100, Period::Month, 'UTC')], 1],
	['sliding log, 10 moments', [Limit::slidingLog(10, 3600)], 10],
	['sliding log, 100 moments', [Limit::slidingLog(100, 3600)], 100],
	['sliding log, 10,000 moments', [Limit::slidingLog(10_000, 3600)], 10_000],
	['sliding window, any number', [Limit::slidingWindow(1_000_000, 3600)], 10],
	['token bucket', [Limit::tokenBucket(100, 3600)], 1],
	[PLACES, [Limit::concurrent(2, 3600)], 2],
	['fixed window and token bucket', [Limit::fixedWindow(100, 3600), Limit::tokenBucket(100, 60)], 1],
	['running ban', [Limit::fixedWindow(1, 3600)->ban(86400)], 1],
	['running ban that escalates', [Limit::fixedWindow(1, 3600)->ban([86400], forget: 864000)], 1],
	['running ban and another window', [Limit::fixedWindow(1, 3600)->ban(86400), Limit::fixedWindow(100, 86400)], 1],
];

/** Takes a place, which is held until this process ends. */
function takes_place(Limiter $limiter, string $id): bool
{
	static $held = [];
	return ($held[] = $limiter->acquire($id))->result->accepted;
}

/** Makes $calls calls for each of IDENTITIES identities; fewer identities when each is large. */
function fill(string $what, ?array $limits, string $name, int $calls, ?string $store): int
{
	$identities = min(IDENTITIES, intdiv($store === null ? EMBEDDED_CALLS : REDIS_CALLS, $calls));
	$limiter = $limits ? new Limiter($name, $limits, $store) : null;
	for ($i = 0; $i < $identities; $i++) {
		for ($n = 0; $n < $calls;) {
			/* Logs grow call by call, as in production, except the large one. */
			$cost = $calls > 1000 ? 1000 : 1;
			$n += $cost;
			$accepted = match (true) {
				$limiter === null => FrequencyLimit::doHandle($name, $i + 1, 3600, 100),
				$what === PLACES => takes_place($limiter, "user:$i"),
				default => $limiter->consume("user:$i", $cost)->accepted,
			};
			if (!$accepted) {
				fwrite(STDERR, "$name: refused\n");
				exit(1);
			}
		}
		if (str_contains($what, 'ban')) {
			$limiter->consume("user:$i");
		}
	}
	return $identities;
}

/* A table's entries exist from the start: the share of one identity, beside its record. */
if (($argv[1] ?? '') === '--embedded') {
	[$what, $limits, $calls] = $cases[(int) $argv[2]];
	$identities = fill($what, $limits, 'memory', $calls, null);
	$s = FrequencyLimit\Monitor::stats();
	exit((string) (($s['records_used'] + $s['slots_used'] * ($s['bytes'] - $s['records']) / $s['slots']) / $identities));
}

$redis = new RedisServer();
$rows = [['one identity of', 'embedded, bytes', 'Redis, bytes']];
foreach ($cases as $i => [$what, $limits, $calls]) {
	/* Each has a process, and so a segment, of its own. */
	$embedded = (float) shell_exec(getenv('MEMORY_PHP') . " --embedded $i");

	$redis('FLUSHALL');
	if ($limits === null) {
		ini_set('ratelimit.store', $redis->dsn());
	}
	$identities = fill($what, $limits, "memory $i", $calls, $redis->dsn());
	ini_set('ratelimit.store', 'shm:');
	$in_redis = 0;
	foreach ($redis('KEYS', '*') as $key) {
		$in_redis += $redis('MEMORY', 'USAGE', $key, 'SAMPLES', 0);
	}
	$rows[] = [$what, number_format($embedded), number_format($in_redis / $identities)];
}

$table = '';
foreach ($rows as $i => $row) {
	$table .= '| ' . implode(' | ', $row) . " |\n" . ($i === 0 ? "|---|--:|--:|\n" : '');
}
$table .= "\nEmbedded: slots and records of `FrequencyLimit\Monitor::stats()`. Redis " . $redis->info('server')['redis_version']
	. ": `MEMORY USAGE`, the key and its expiry included. `bench/memory.sh` measures it.\n";
echo $table;

if (in_array('--write', $argv, true)) {
	$file = __DIR__ . '/../docs/limiters.md';
	$text = preg_replace('/(<!-- memory:begin -->\n).*?(<!-- memory:end -->)/s', '${1}' . strtr($table, ['$' => '\$']) . '${2}',
		file_get_contents($file), -1, $count);
	if ($count !== 1) {
		fwrite(STDERR, "docs/limiters.md lacks the markers\n");
		exit(1);
	}
	file_put_contents($file, $text);
}
