--TEST--
The Redis user of docs/redis.md has every right that the extension needs, and no other
--EXTENSIONS--
ratelimit
--INI--
ratelimit.on_failure=throw
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/redis-user.inc';
store_options(retry_delay: 1, deny_cache: 0);

$server = new RedisServer();
$words = words_for($server, documented_user('one server'));
same('OK', $server('ACL', 'SETUSER', ...$words), 'ACL SETUSER');
same('OK', $server('ACL', 'SETUSER', 'default', 'off'), 'nobody else may do anything');
use_store("unix://limiter:secret@$server->socket");
ask_everything('user');

/* A database requires one more right, as the page states. */
$n = 0;
$make = function (array $words) use ($server): void {
	/* This connection is the default user's, and was there before. */
	$server('ACL', 'DELUSER', 'limiter');
	same('OK', $server('ACL', 'SETUSER', ...$words), implode(' ', $words));
	$server('SCRIPT', 'FLUSH');
};
$ask = function () use (&$n) {
	ask_everything('user' . ++$n);
};
$silent = silently_denied($server);
each_is_needed(array_values(array_diff($words, $silent)), $make, $ask);
same($silent !== [], refused_rights($server) !== [], 'what is missed in silence is logged');
$make($words);
$ask();
same([], refused_rights($server), 'nothing is refused');
ok(str_contains(readme('docs/redis.md'), '`+select`'), 'the page tells of +select');
use_store("unix://limiter:secret@$server->socket?db=1");
each_is_needed([...array_values(array_diff($words, $silent)), '+select'], $make, $ask);
done();
?>
--EXPECT--
done
