--TEST--
Missing credentials or rights are a configuration error with the reason, and decisions recover
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/faults.inc';

$redis = new RedisServer();
$user = fn (string ...$rules) => fn () => same('OK', $redis('ACL', 'SETUSER', 'limiter', ...$rules), implode(' ', $rules));
$whole = $user('reset', 'on', '>secret', '~*', '+@all');
$whole();
$faults = new Faults($redis, "unix://limiter:secret@$redis->socket");
foreach ([
	'no EVALSHA' => [$user('-evalsha', '-eval'), 'NOPERM'],
	'no scripts' => [$user('-@scripting'), 'NOPERM'],
	'other keys' => [$user('resetkeys', '~elsewhere:*'), 'NOPERM'],
	'no GET in a script' => [$user('-get'), ''],
	'no TIME in a script' => [$user('-time'), ''],
	'no SET in a script' => [$user('-set', '-incr'), ''],
	'another password' => [$user('resetpass', '>another', 'off', 'on'), 'WRONGPASS'],
	'a user that is off' => [$user('off'), 'WRONGPASS'],
	'no user' => [fn () => same(1, $redis('ACL', 'DELUSER', 'limiter'), 'DELUSER'), 'WRONGPASS'],
] as $what => [$begin, $says]) {
	$closes = $says === 'WRONGPASS';
	$faults->each($what, function () use ($begin, $closes, $redis) {
		$begin();
		if ($closes) {
			$redis('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
		}
	}, $whole, $says, Kind::Misconfigured);
}

/* A password where there was none. */
$faults = new Faults($redis, $redis->dsn());
$faults->each('a password where there was none', function () use ($redis) {
	same('OK', $redis('CONFIG', 'SET', 'requirepass', 'x'), 'requirepass');
	$redis('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
}, fn () => $redis('CONFIG', 'SET', 'requirepass', ''), 'NOAUTH', Kind::Misconfigured);

/* A server, or a proxy before it, that has no scripts at all. */
foreach ([['EVALSHA'], ['HELLO']] as [$command]) {
	$lacking = new RedisServer(['--rename-command', $command, '']);
	use_store($lacking->dsn());
	foreach (['throw', 'deny'] as $policy) {
		pause(0.003);
		ini_set('ratelimit.on_failure', $policy);
		throws(FrequencyLimit\StoreException::class, [$command], fn () => FrequencyLimit::check('lacking', 1, 60, 1), "without $command, $policy");
	}
}
done();
?>
--EXPECT--
done
