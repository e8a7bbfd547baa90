--TEST--
A worker without a place in the segment leases no batch, and decides one permit at a time on Redis
--EXTENSIONS--
ratelimit
pcntl
--INI--
ratelimit.shm_size=1M
ratelimit.on_failure=throw
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/redis.inc';

use FrequencyLimit\{Limit, Limiter, StoreException};

$redis = new RedisServer();

/* Workers that decide once, and stay, until one finds no place. It holds no place either, and neither does this process. */
[$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$workers = [];
do {
	$pid = pcntl_fork();
	if ($pid === 0) {
		fclose($ours);
		try {
			FrequencyLimit::doHandle('crowd', 1, 3600, 1_000_000);
			fwrite($theirs, '+');
		} catch (StoreException $e) {
			fwrite($theirs, $e->getMessage() === 'too many workers for the embedded store (128; ratelimit.shm_size)' ? '-' : '?');
		}
		fread($theirs, 1); /* until the other end is closed */
		send_signal(getmypid(), 9);
	}
	$workers[] = $pid;
	$said = fread($ours, 1);
} while ($said === '+' && count($workers) < 1000);
same(['-', 129], [$said, count($workers)], 'as many as there are places');

ini_set('ratelimit.store', $redis->dsn());
$leased = new Limiter('crowd', Limit::fixedWindow(1_000_000, 3600)->leased());
for ($i = 1, $until = hrtime(true) + 50_000_000; $i <= 100 || hrtime(true) < $until; $i++) {
	$r = $leased->consume(1);
	same([true, 'redis', 1_000_000 - $i], [$r->accepted, $r->store, $r->remaining], "permit $i");
}

/* As soon as there is room, batches are worth their while again. */
fclose($theirs);
fclose($ours);
foreach ($workers as $pid) {
	pcntl_waitpid($pid, $status);
}
for ($calls = 0; $leased->consume(1)->store !== 'lease' && $calls < 100_000; $calls++);
ok($calls < 100_000, "a batch after $calls calls with a place");
done();
?>
--EXPECT--
done
