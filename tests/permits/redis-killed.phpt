--TEST--
On Redis a killed worker's places come free within seconds of another decision of its machine, long before they end
--EXTENSIONS--
ratelimit
pcntl
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
use FrequencyLimit\{Limit, Limiter};

/** Starts a process that holds places, until it gets a signal. @return int its number */
function holder(Limiter $limiter, int|string|array $id, int $places): int
{
	$pipe = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
	if (($pid = pcntl_fork()) === 0) {
		pcntl_alarm(300); /* in case the test has died */
		$permits = [];
		for ($i = 0; $i < $places; $i++) {
			$permits[] = $permit = $limiter->acquire($id);
		}
		$permits[0]->renew(900);
		$permit->release();
		$permit = $limiter->acquire($id);
		fwrite($pipe[1], $permit->result->accepted ? 'y' : 'n');
		while (true) {
			pause(1);
		}
	}
	same('y', fread($pipe[0], 1), 'the holder has its places');
	at_end(fn () => send_signal($pid, 9));
	return $pid;
}

$redis = new RedisServer();
$limiter = new Limiter('dead', ['places' => Limit::concurrent(20, 600), 'rate' => Limit::fixedWindow(1000, 600)], $redis->dsn());
$other = new Limiter('other', Limit::fixedWindow(1_000_000, 600), $redis->dsn());
$mine = $limiter->acquire('x');
$pids = [holder($limiter, 'x', 10), holder($limiter, 'x', 9)];
$pids[] = holder($limiter, 42, 2);
same(false, $limiter->acquire('x')->result->accepted, 'it is full');

/* Live workers keep their places, however often the machine decides. */
for ($until = microtime(true) + 2.5; microtime(true) < $until; pause(0.05)) {
	$other->consume('y');
}
same(false, $limiter->peek('x')->accepted, 'places of live workers');

/* A search needs no decision about the same limiter. */
send_signal($pids[0], 9);
pcntl_waitpid($pids[0], $status);
same(true, eventually(fn () => $other->consume('y')->accepted && $limiter->peek('x')->accepted), 'the places of the dead one');
same(true, eventually(fn () => $other->consume('y')->accepted && $limiter->peek('x', 10)->accepted), 'all of them');
same(false, $limiter->peek('x', 11)->accepted, 'none of a live one');

send_signal($pids[2], 9);
pcntl_waitpid($pids[2], $status);
same(true, eventually(fn () => $limiter->peek(42, 20)->accepted), 'an int identity');
same([true, true], [$mine->release(), $limiter->peek('x', 11)->accepted], "the searcher's own place");

/* One permit has places of several identities: each of them comes free. */
$both = new Limiter('both', ['user' => Limit::concurrent(2, 600)->by('user'), 'tenant' => Limit::concurrent(3, 600)->by('tenant')], $redis->dsn());
$pid = holder($both, ['user' => 'u', 'tenant' => 't'], 2);
same(false, $both->peek(['user' => 'u', 'tenant' => 'w'])->accepted, 'the user has no place left');
send_signal($pid, 9);
pcntl_waitpid($pid, $status);
same(true, eventually(fn () => $other->consume('y')->accepted && $both->peek(['user' => 'v', 'tenant' => 't'], 2)->accepted), 'the places of the tenant');
same(true, eventually(fn () => $other->consume('y')->accepted && $both->peek(['user' => 'u', 'tenant' => 'w'], 2)->accepted), 'the places of the user');
done();
?>
--EXPECT--
done
