--TEST--
A restart of Redis keeps what its persistence kept; a restart and FLUSHALL cause no error
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

use FrequencyLimit\{Limit, Limiter, Reason};

$limiter = new Limiter('kept', [Limit::slidingLog(5, 3600), Limit::tokenBucket(50, 3600)]);
/** A count of $n, the same in a log, and a ban. */
function count_up(Limiter $limiter, int $n): void
{
	for ($i = 0; $i < $n; $i++) {
		FrequencyLimit::doHandle('kept', 1, 3600, 5);
		$limiter->consume(1);
	}
	$limiter->ban(2, 3600);
}
$left = fn () => [FrequencyLimit::check('kept', 1, 3600, 5)->remaining, $limiter->consume(1)->remaining, $limiter->peek(2)->reason];

foreach ([
	'append-only, always' => [['--appendonly', 'yes', '--appendfsync', 'always'], 9, [1, 1, Reason::Banned]],
	'append-only, each second' => [['--appendonly', 'yes', '--appendfsync', 'everysec'], 9, [1, 1, Reason::Banned]],
	'a snapshot at the end' => [['--save', '3600 1'], 15, [1, 1, Reason::Banned]],
	'the snapshot of before' => [['--save', '3600 1'], 9, [3, 3, Reason::Accepted]],
	'nothing' => [[], 15, [4, 4, Reason::Accepted]],
] as $what => [$options, $signal, $kept]) {
	$redis = new RedisServer($options);
	$faults = new Faults($redis, $redis->dsn());
	ini_set('ratelimit.on_failure', 'throw');
	if ($what === 'the snapshot of before') {
		FrequencyLimit::doHandle('kept', 1, 3600, 5);
		$limiter->consume(1);
		same('OK', $redis('SAVE'), 'SAVE');
		count_up($limiter, 2);
	} else {
		count_up($limiter, 3);
	}
	/* While the disk is slow, "everysec" keeps up to two seconds back, and a kill loses them; "always" does not. */
	$written = fn () => $redis->info('persistence')['aof_buffer_length'] === '0';
	ok(!str_contains($what, 'each second') || eventually($written), "$what: written");
	$redis->stop($signal);
	ini_set('ratelimit.on_failure', 'local');
	same('local', FrequencyLimit::check('away', $what, 3600, 5)->store, "$what: while it is away");
	$redis->start();
	ok(eventually(fn () => !$redis('GET', 'x') instanceof RedisError), "$what: loaded");
	$faults->heals($what);
	same($kept, $left(), $what);

	same('OK', $redis('FLUSHALL'), 'FLUSHALL');
	same([4, 4, Reason::Accepted], $left(), "$what: after FLUSHALL");
	$redis->stop();
}
done();
?>
--EXPECT--
done
