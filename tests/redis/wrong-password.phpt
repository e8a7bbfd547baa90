--TEST--
A wrong password, a missing one or a missing right is an error with the reason, and is retried
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
$server = new RedisServer(['--requirepass', 'right']);
$admin = new RedisClient($server->socket);
$admin('AUTH', 'right');
store_options(retry_delay: 1);
$handle = fn () => FrequencyLimit::doHandle('auth', 1, 60, 1000);
$refused = function (string $dsn, string $reason) use ($handle) {
	use_store($dsn);
	/* Redis rejects the login: allow and local decide, deny and throw report the reason. */
	foreach (['throw', 'deny'] as $policy) {
		ini_set('ratelimit.on_failure', $policy);
		throws(FrequencyLimit\StoreException::class, [$reason], $handle, "$policy: $reason");
	}
	foreach (['allow', 'local'] as $policy) {
		ini_set('ratelimit.on_failure', $policy);
		same(true, $handle(), "$policy: $reason");
	}
};
$at = fn (string $userinfo) => "unix://$userinfo$server->socket";
$refused($at(':wrong@'), 'WRONGPASS');
$refused($at(''), 'NOAUTH');
$refused($at('nobody:right@'), 'WRONGPASS');

ini_set('ratelimit.on_failure', 'throw');
use_store($at(':right@'));
same(true, $handle(), 'the right password');
use_store($at('default:right@'));
same(true, $handle(), 'with the user\'s name');
$admin('ACL', 'SETUSER', 'odd', 'on', '>p@ss:w/rd%', '~*', '+@all');
use_store($at('odd:p%40ss%3Aw%2Frd%25@'));
same(true, $handle(), 'a password of special characters, percent-encoded');

/* A user with all rights but the required ones. */
$admin('ACL', 'SETUSER', 'reader', 'on', '>x', '~*', '+@all', '-evalsha', '-eval');
$refused($at('reader:x@'), 'NOPERM');
$admin('ACL', 'SETUSER', 'other', 'on', '>x', '~elsewhere:*', '+@all');
$refused($at('other:x@'), 'NOPERM');

/* A user whose script can read and not write: nothing is counted, no key lacks an expiry. */
foreach (['-set', '-get', '-time', '-@write', '-pexpiretime', '-pttl'] as $right) {
	$admin('ACL', 'SETUSER', 'half', 'reset', 'on', '>x', '~*', '+@all', $right);
	use_store($at('half:x@'));
	foreach ([[null, 'throw'], ['5', 'throw'], [null, 'deny'], ['5', 'deny']] as [$value, $policy]) {
		ini_set('ratelimit.on_failure', $policy);
		$admin('DEL', 'act:limit:auth:1');
		if ($value !== null) {
			$admin('SET', 'act:limit:auth:1', $value, 'EX', '60');
		}
		pause(0.003); /* past retry_delay */
		try {
			same(true, $handle(), "$right: an answer is an admission");
			/* doHandle() reads no count; one more in a running window is an INCR, and needs no time. check() needs GET. */
			ok(in_array($right, $value === null ? ['-get', '-pexpiretime', '-pttl'] : ['-get', '-pexpiretime', '-pttl', '-set', '-time'], true), "$right is needed");
		} catch (FrequencyLimit\StoreException $e) {
			same($value, $admin('GET', 'act:limit:auth:1'), "$right: nothing was counted");
		}
		ok($admin('PTTL', 'act:limit:auth:1') !== -1, "$right: no key without an expiry");
	}
}

/* The password is changed while the connection is open; a new connection has to use the new one. */
ini_set('ratelimit.on_failure', 'throw');
use_store($at(':right@'));
same(true, $handle(), 'before the change');
$admin('CONFIG', 'SET', 'requirepass', 'new');
$admin('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
throws(FrequencyLimit\StoreException::class, ['WRONGPASS'], $handle, 'after the change');
use_store($at(':new@'));
same(true, $handle(), 'with the new one');
done();
?>
--EXPECT--
done
