--TEST--
Unknown error replies, and those that Redis 6 wraps, are classified correctly
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/proxy.inc';
needs_redis();
needs_tool('proxy');
?>
--FILE--
<?php
require __DIR__ . '/../include/proxy.inc';
require __DIR__ . '/faults.inc';

use FrequencyLimit\{Limit, Limiter, StoreException};

$redis = new RedisServer();
$proxy = new FaultProxy($redis->socket);
$faults = new Faults($redis, $proxy->dsn());
$wrapped = 'ERR Error running script (call to f_0123456789abcdef0123456789abcdef01234567): @user_script:57: @user_script: 57: ';
$returned = '@user_script: 1: '; /* of redis.pcall() */
foreach ([
	['WHATEVER happened', Kind::Away], ['ERR', Kind::Away], ['', Kind::Away], ['ERR unknown trouble', Kind::Away],
	['ERR max number of clients + cluster connections reached', Kind::Away], ['MASTERDOWN Link with MASTER is down', Kind::Away],
	["{$wrapped}-OOM command not allowed when used memory > 'maxmemory'.", Kind::Away],
	["{$wrapped}-READONLY You can't write against a read only replica.", Kind::Away],
	["{$wrapped}-MISCONF Errors writing to the AOF file: No space left on device", Kind::Away],
	["{$wrapped}The user executing the script can't run this command or subcommand", Kind::Misconfigured],
	["{$wrapped}-NOPERM this user has no permissions to access one of the keys", Kind::Misconfigured],
	["{$wrapped}WRONGTYPE Operation against a key holding the wrong kind of value", Kind::Foreign],
	["{$returned}-OOM command not allowed when used memory > 'maxmemory'.", Kind::Away],
	["{$returned}-READONLY You can't write against a read only replica.", Kind::Away],
	["{$returned}-NOPERM this user has no permissions to access one of the keys", Kind::Misconfigured],
	["{$returned}The user executing the script can't run this command or subcommand", Kind::Misconfigured],
	["{$returned}WRONGTYPE Operation against a key holding the wrong kind of value", Kind::Foreign],
	['@user_script: 57', Kind::Away],
	['DENIED Redis is running in protected mode', Kind::Misconfigured],
	["ERR unknown command 'EVALSHA', with args beginning with:", Kind::Misconfigured],
	["ERR This instance has cluster support disabled", Kind::Misconfigured],
] as [$reply, $kind]) {
	$what = "-$reply";
	$faults->each(strlen($what) > 60 ? '… ' . substr($what, -60) : $what, fn () => $proxy->rule('EVALSHA', 0, 'answer', "-$reply\r\n"), $proxy->clear(...), $reply, $kind);
}

/* Redis quotes the request with its identity: control characters reach no log and no terminal. */
$proxy->rule('EVALSHA', 0, 'answer', "-ERR unknown command 'EVALSHA', with args beginning with: '\x1b]0;x\x07' '\u{9b}2J'\r\n");
ini_set('ratelimit.on_failure', 'throw');
throws(StoreException::class, ["with args beginning with: '?]0;x?' '??2J'"], fn () => FrequencyLimit::check('quoted', 1, 60, 1), 'control characters');
$proxy->clear();
$faults->heals('a server that understands again');
ini_set('ratelimit.on_failure', 'local');

/* A server that never keeps a script: EVAL answers one question; of several the rest is given up, not asked for ever. */
$limiter = new Limiter('forgetful', Limit::fixedWindow(100, 60));
FrequencyLimit::check('warm-up', 1, 60, 1);
$proxy->rule('EVALSHA', 0, 'answer', "-NOSCRIPT No matching script. Please use EVAL.\r\n");
same('redis', $limiter->consume(1)->store, 'one question');
ini_set('ratelimit.on_failure', 'throw');
$before = count($proxy->journal());
throws(StoreException::class, ['does not keep the script'], fn () => $limiter->consumeMany(range(2, 9)), 'several');
between(1, count($proxy->journal()) - $before, 40, 'commands for eight questions');
$proxy->clear();
$faults->heals('a server that keeps scripts again');
foreach (range(2, 9) as $id) {
	between(98, $limiter->peek($id)->remaining, 99, "identity $id was counted once at most");
}
done();
?>
--EXPECT--
done
