--TEST--
A refusal that passes, of shadow limits alone or with ratelimit.enforce=0, counts as an admission and a shadow's refusal
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/redis.inc';
use FrequencyLimit\{Limit, Limiter};

/** What the calls add to stats(). */
function added(array $names, callable $calls): array
{
	$numbers = fn (): array => array_map(fn (string $name): int => FrequencyLimit\Monitor::stats()[$name], $names);
	$before = $numbers();
	$calls();
	return array_map(fn (int $now, int $then): int => $now - $then, $numbers(), $before);
}

/** The counts of a name. */
function row(string $name): array
{
	foreach (FrequencyLimit\Monitor::limiters() as $row) {
		if ($row['name'] === $name) {
			return array_map(fn (string $count): ?int => $row[$count] ?? null, ['decisions', 'refused', 'banned', 'shadow']);
		}
	}
	return [];
}

function call(int $n, callable $call): void
{
	for ($i = 0; $i < $n; $i++) {
		$call();
	}
}

$redis = new RedisServer();
store_options(timeout: 20000, deny_cache: 0); /* each refusal is one of Redis */
$i = 0;
foreach (['shm:' => ['decisions', 'refusals', 'bans'], $redis->dsn() => ['redis_decisions', 'redis_refusals']] as $store => $names) {
	$i++;
	ini_set('ratelimit.store', $store);
	$nothing = array_fill(0, count($names) - 1, 0);
	$shadows = new Limiter("shadows $i", [Limit::fixedWindow(2, 60)->ban(60)->shadow(), Limit::slidingLog(9, 60)->shadow()]);
	same([5, ...$nothing], added($names, fn () => call(5, fn () => $shadows->consume('a'))), "$store: five calls of shadows alone");
	same([5, 0, 0, 3], row("shadows $i"), "$store: their counts by name");
	same([2, ...$nothing], added($names, fn () => $shadows->consumeMany(['a', 'b'])), "$store: two at once");

	ini_set('ratelimit.enforce', '0');
	$limiter = new Limiter("enforced $i", [Limit::fixedWindow(2, 60)->ban(60), Limit::slidingLog(1, 60)->shadow()]);
	same([4, ...$nothing], added($names, fn () => call(4, fn () => $limiter->consume('a'))), "$store: four calls of a limiter");
	same([4, 0, 0, 3], row("enforced $i"), "$store: its counts by name");
	same([3, ...$nothing], added($names, fn () => call(3, fn () => FrequencyLimit::doHandle("action $i", 7, 60, 1, ['type' => 1, 'ttl' => 60]))), "$store: three calls of an action");
	same([null, 0, 0, 2], row("action $i"), "$store: its counts by name");
	ini_set('ratelimit.enforce', '1');
	same([1, 1], array_slice(added($names, fn () => $limiter->consume('a')), 0, 2), "$store: enforced again");
}
done();
?>
--EXPECT--
done
