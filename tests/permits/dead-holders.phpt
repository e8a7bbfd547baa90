--TEST--
A killed worker's place is free at the next call; a stopped worker keeps its place until its seconds are over
--EXTENSIONS--
ratelimit
pcntl
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/store.inc';
use FrequencyLimit\{Clock, Limit, Limiter};

/** Starts a process that holds places, until it gets a signal. @return int its number */
function holder(Limiter $limiter, int $places): int
{
	$pipe = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
	if (($pid = pcntl_fork()) === 0) {
		pcntl_alarm(300); /* in case the test has died */
		$permit = $limiter->acquire('x', $places);
		fwrite($pipe[1], $permit->result->accepted ? 'y' : 'n');
		while (true) {
			pause(1);
		}
	}
	same('y', fread($pipe[0], 1), 'the holder has its places');
	at_end(fn () => send_signal($pid, 9));
	return $pid;
}

$limiter = new Limiter('dead', Limit::concurrent(3, 600));
$pid = holder($limiter, 3);
same([false, false], [$limiter->acquire('x')->result->accepted, $limiter->peek('x')->accepted], 'it is full');
send_signal($pid, 9);
pcntl_waitpid($pid, $status);
same([true, 2], [$limiter->peek('x')->accepted, $limiter->peek('x')->remaining], 'peek() after its death');
$mine = $limiter->acquire('x');
same([true, 2], [$mine->result->accepted, $mine->result->remaining], 'acquire() after its death');
$mine->release();

/* An admitted call does not ask who is dead: it takes the places that are left. */
$pid = holder($limiter, 2);
send_signal($pid, 9);
pcntl_waitpid($pid, $status);
$permits = [];
for ($i = 0; $i < 3; $i++) {
	same(true, ($permits[] = $limiter->acquire('x'))->result->accepted, "place $i after the death of the holder of two");
}
same(false, $limiter->acquire('x')->result->accepted, 'no place too many');
$permits = [];

/* Stopped, not dead. */
$pid = holder($limiter, 3);
send_signal($pid, 19);
pcntl_waitpid($pid, $status, WUNTRACED);
Clock::freeze();
Clock::advance(590);
same([false, false], [$limiter->acquire('x')->result->accepted, $limiter->peek('x')->accepted], 'a stopped one keeps its places');
between(1, $limiter->peek('x')->retryAfter, 10.1, 'until their end');
Clock::advance(11);
same(true, $limiter->acquire('x', 3)->result->accepted, 'its seconds are over');
done();
?>
--EXPECT--
done
