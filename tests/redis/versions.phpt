--TEST--
A state or a request of another version of ratelimit is refused on Redis, is left as it is, and concerns no other key
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
/* As during a deploy: machines of both versions on one Redis. */
require __DIR__ . '/../include/store.inc';
use FrequencyLimit\{Limit, Limiter, Reason, StoreException};

$redis = new RedisServer();
ini_set('ratelimit.on_failure', 'throw');
$limits = [
	'fixed' => Limit::fixedWindow(10, 3600),
	'calendar' => Limit::calendar(10, FrequencyLimit\Period::Year),
	'log' => Limit::slidingLog(10, 3600),
	'window' => Limit::slidingWindow(10, 3600),
	'bucket' => Limit::tokenBucket(10, 36_000, burst: 10),
	'places' => Limit::concurrent(10, 3600),
];
foreach ($limits as $name => $limit) {
	$redis('FLUSHALL');
	$limiter = new Limiter($name, $limit, $redis->dsn('?deny_cache=0'));
	$calls = [
		'acquire' => fn () => $limiter->acquire('x'),
		'peek' => fn () => $limiter->peek('x'),
		'credit' => fn () => $limiter->credit('x'),
		'ban' => fn () => $limiter->ban('x', 60),
		'unban' => fn () => $limiter->unban('x'),
		'reset' => fn () => $limiter->reset('x'),
	] + ($name === 'places' ? [] : ['consume' => fn () => $limiter->consume('x')]);
	$permit = $limiter->acquire('x', 6);
	[$key] = $redis('KEYS', '*');
	$bytes = $redis('GET', $key);
	same("\x01\x01", substr($bytes, 0, 2), "$name: version 1, one limit state");

	$redis('SET', $key, $newer = "\x02" . substr($bytes, 1));
	foreach ($calls as $call => $ask) {
		throws(StoreException::class, ['RATELIMIT_NEWER the key holds the state of a newer version of ratelimit'], $ask, "$name, $call: a newer state");
	}
	throws(StoreException::class, ['RATELIMIT_NEWER'], fn () => $permit->settle(1), "$name, settle: a newer state");
	same($newer, $redis('GET', $key), "$name: it is left as it is");
	same(true, $limiter->acquire('y')->result->accepted, "$name: other keys are decided as ever");
	ini_set('ratelimit.on_failure', 'allow');
	same(Reason::StoreUnavailable, $limiter->acquire('x')->result->reason, "$name: on_failure decides");
	ini_set('ratelimit.on_failure', 'throw');

	/* What no version has written. */
	$foreign = ['an older version' => "\x00" . substr($bytes, 1), 'a text' => 'A text', 'another algorithm' => substr($bytes, 0, 2) . "\x07" . substr($bytes, 3),
		'cut off' => substr($bytes, 0, -1), 'a byte more' => "$bytes\0"];
	foreach ($foreign as $what => $planted) {
		$redis('SET', $key, $planted);
		foreach ($calls as $call => $ask) {
			throws(StoreException::class, ['has a value that ratelimit did not write'], $ask, "$name, $call, $what");
		}
		same($planted, $redis('GET', $key), "$name, $what: it is left as it is");
	}
	$redis('SET', $key, $bytes);
	same(3, $limiter->acquire('x')->result->remaining, "$name: the state of this version goes on");
}

/* The script refuses a request of another version. */
$script = implode(array_map(file_get_contents(...), glob(__DIR__ . '/../../src/redis/lua/limiter/*.lua')));
$redis('FLUSHALL');
$answer = $redis('EVAL', $script, '1', 'k', "nonce.\x02" . str_repeat("\0", 50));
same('RATELIMIT_NEWER the request is of another version of ratelimit than the script', $answer->message ?? '', 'a request of another version');
same([], $redis('KEYS', '*'), 'it writes nothing');
done();
?>
--EXPECT--
done
