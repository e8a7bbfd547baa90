--TEST--
On Redis a state of the version before permits goes on counting, and becomes one with a tag by its first acquire()
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
use FrequencyLimit\{Limit, Limiter, StoreException};

const SECOND = 1_000_000;
$redis = new RedisServer();
ini_set('ratelimit.on_failure', 'throw');
store_options(deny_cache: 0);
$int = fn (int $value, int $bytes): string => substr(pack('P', $value), 0, $bytes);
$time = $redis('TIME');
$now = $time[0] * SECOND + $time[1];
$period = 3600 * SECOND;

/* Each state has counted 6 of 10 in this hour, as that version wrote it: version 1, no ban, one limit state. */
$head = "\x01\x00\x01";
$older = [
	'fixed' => [Limit::fixedWindow(10, 3600), $head . "\x01" . $int($period, 7) . $int($now + $period - 5 * SECOND, 7) . $int(6, 3)],
	'log' => [Limit::slidingLog(10, 3600), $head . "\x03" . $int($period, 7) . $int($now - SECOND, 7) . "\x04" . $int(6, 2) . str_repeat($int(0, 4), 6)],
	'window' => [Limit::slidingWindow(10, 3600), $head . "\x04" . $int($period, 7) . $int($now - SECOND, 7) . "\x01" . "\x00" . $int(6, 3)],
	'bucket' => [Limit::tokenBucket(10, 36_000, burst: 10), $head . "\x05" . $int(10, 3) . $int(36_000 * SECOND, 7) . $int($now + 6 * 3600 * SECOND, 7) . $int(0, 3)],
];
$key = null;
foreach ($older as $name => [$limit, $bytes]) {
	$limiter = new Limiter($name, $limit, $redis->dsn());
	/* The key that this limiter has. */
	$redis('FLUSHALL');
	$limiter->consume('x', 6);
	[$key] = $redis('KEYS', '*');
	same(strlen($bytes), strlen($redis('GET', $key)), "$name: this version writes a state of the same length");
	$redis('SET', $key, $bytes);
	same(3, $limiter->peek('x')->remaining, "$name: read");
	same(3, $limiter->consume('x')->remaining, "$name: goes on counting");
	same([substr($bytes, 0, 4), strlen($bytes)], [substr($redis('GET', $key), 0, 4), $name === 'log' ? strlen($redis('GET', $key)) - 4 : strlen($redis('GET', $key))],
		"$name: without acquire() it keeps its form");
	$permit = $limiter->acquire('x', 3);
	same([true, 0], [$permit->result->accepted, $permit->result->remaining], "$name: acquire()");
	ok(ord($redis('GET', $key)[3]) >= 64, "$name: now it has a tag");
	same(2, $permit->settle(1)->remaining, "$name: settle() gives back what this permit took");
	same(1, $limiter->consume('x')->remaining, "$name: consume() beside the tag");
	$permit = $limiter->acquire('x');
	$redis('SET', $key, $bytes);
	same(4, $permit->settle(0)->remaining, "$name: nothing goes back to a state without the permit's tag");

	/* What no version has written is refused, and stays. */
	$unknown = ['another version' => "\x03" . substr($bytes, 1), 'another algorithm' => $head . "\x09" . substr($bytes, 4),
		'a tag, cut off' => $head . chr(ord($bytes[3]) + 64) . substr($bytes, 4), 'both forms, cut off' => $head . chr(ord($bytes[3]) + 96) . substr($bytes, 4)];
	foreach ($unknown as $what => $planted) {
		$redis('SET', $key, $planted);
		throws(StoreException::class, [], fn () => $limiter->acquire('x'), "$name, $what");
		throws(StoreException::class, [], fn () => $limiter->consume('x'), "$name, $what");
		same($planted, $redis('GET', $key), "$name, $what: untouched");
	}
}
done();
?>
--EXPECT--
done
