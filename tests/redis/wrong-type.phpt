--TEST--
A key of another type is an error, and stays untouched
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
$store = test_store('redis');
$redis = $store->server;
$plant = [
	'a list' => ['RPUSH', 'KEY', 'a', 'b'],
	'a hash' => ['HSET', 'KEY', 'a', '1'],
	'a set' => ['SADD', 'KEY', 'a'],
	'a sorted set' => ['ZADD', 'KEY', '1', 'a'],
	'text' => ['SET', 'KEY', 'hello'],
	'an empty string' => ['SET', 'KEY', ''],
	'a negative number' => ['SET', 'KEY', '-1'],
	'a fraction' => ['SET', 'KEY', '1.5'],
	'a number with a sign' => ['SET', 'KEY', '+1'],
	'a number with a blank' => ['SET', 'KEY', ' 1'],
	'an exponent' => ['SET', 'KEY', '1e3'],
	'hexadecimal' => ['SET', 'KEY', '0x10'],
	'not a number' => ['SET', 'KEY', 'nan'],
	'a huge number' => ['SET', 'KEY', str_repeat('9', 40)],
	'bytes' => ['SET', 'KEY', "\0\xff\x01binary"],
];
/* on_failure applies to an unavailable Redis; this one is available. */
foreach (['throw', 'deny', 'allow', 'local'] as $policy) {
	ini_set('ratelimit.on_failure', $policy);
	foreach ($plant as $what => $command) {
		foreach ([0, 60] as $expiry) {
			$key = 'act:limit:foreign:1';
			$redis('DEL', $key);
			$redis(...array_map(fn ($word) => $word === 'KEY' ? $key : $word, $command));
			if ($expiry) {
				$redis('EXPIRE', $key, $expiry);
			}
			$before = [$redis('TYPE', $key), $redis('DUMP', $key), $redis('TTL', $key) > 0];
			foreach (['doHandle' => fn () => FrequencyLimit::doHandle('foreign', 1, 60, 10, ['type' => 1, 'ttl' => 60]),
				'check' => fn () => FrequencyLimit::check('foreign', 1, 60, 10),
				'reset' => fn () => FrequencyLimit::reset('foreign', 1)] as $name => $call) {
				throws(FrequencyLimit\StoreException::class, ['The key of foreign, 1 holds something foreign'], $call, "$policy: $name on $what");
			}
			same($before, [$redis('TYPE', $key), $redis('DUMP', $key), $redis('TTL', $key) > 0], "$policy: $what is untouched");
		}
	}
}
/* And others' keys go on. */
same(true, FrequencyLimit::doHandle('foreign', 2, 60, 1), 'another identity');
done();
?>
--EXPECT--
done
