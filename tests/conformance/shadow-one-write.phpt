--TEST--
A limiter with a shadow asks Redis about both with one write, and gets the answers that it gets by two
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
use FrequencyLimit\{Limit, Limiter, Period};

$redis = new RedisServer();
store_options(timeout: 20000, deny_cache: 0);
ini_set('ratelimit.store', $redis->dsn());

/** How often the server has read from its clients meanwhile, without the two requests of this function. */
$reads = static function (callable $calls) use ($redis): int {
	$n = static fn (): int => (int) $redis->info('stats')['total_reads_processed'];
	$before = $n();
	$calls();
	return $n() - $before - 1;
};
$alone = new Limiter('alone', Limit::slidingLog(3, 60));
$both = new Limiter('both', [Limit::slidingLog(3, 60), Limit::calendar(2, Period::Month, 'UTC')->named('month')->shadow()]);
$alone->consume('warm');
$both->consume('warm');

same(4, $reads(static fn () => array_map($alone->consume(...), ['a', 'a', 'a', 'a'])), 'four decisions without a shadow');
$results = [];
same(4, $reads(static function () use ($both, &$results): void {
	for ($i = 0; $i < 4; $i++) {
		$results[] = $both->consume('a');
	}
}), 'four decisions with one');
same([[true, 2, null], [true, 1, null], [true, 0, 'month'], [false, 0, 'month']],
	array_map(static fn ($r): array => [$r->accepted, $r->remaining, $r->shadow], $results), 'their answers');
same(1, $reads(static fn () => $both->peek('a')), 'peek()');

/* A server without the script. */
$redis('SCRIPT', 'FLUSH');
same([true, 2], [($r = $both->consume('b'))->accepted, $r->remaining], 'after SCRIPT FLUSH');
same(1, $reads(static fn () => $both->consume('b')), 'again with one write');

/* A key that ratelimit did not write: that of the shadow, or that of the limit. */
$before = $redis('KEYS', '*');
$both->consume('c');
$new = array_values(array_diff($redis('KEYS', '*'), $before));
same(2, count($new), 'two keys of an identity');
foreach ($new as $key) {
	$kept = $redis('DUMP', $key);
	$redis('SET', $key, 'text of another program');
	try {
		$result = $both->consume('c');
		same([true, null], [$result->accepted, $result->shadow], 'the shadow fails alone');
		$passed = true;
	} catch (FrequencyLimit\StoreException $e) {
		ok(str_contains($e->getMessage(), 'did not write'), $e->getMessage());
		$thrown = true;
	}
	$redis('RESTORE', $key, 0, $kept, 'REPLACE');
}
same([true, true], [$passed ?? false, $thrown ?? false], 'a wrong key of the shadow, and one of the limit');

/* A server that is away: the failure policy answers. */
ini_set('error_log', '/dev/null');
ini_set('ratelimit.on_failure', 'allow');
$redis->stop();
same([true, null], [($r = $both->consume('a'))->accepted, $r->shadow], 'the server is away');
done();
?>
--EXPECT--
done
