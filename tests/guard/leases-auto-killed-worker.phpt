--TEST--
The batch of a killed worker is used by the next worker of its machine
--EXTENSIONS--
ratelimit
pcntl
posix
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/leases-auto.inc';

$redis = redis_with_auto_leases();
foreach (ways() as $way => $ask) {
	$tries = 0;
	do {
		$pid = pcntl_fork();
		if ($pid === 0) {
			until_leased(fn () => $ask(1));
			posix_kill(getmypid(), SIGKILL);
		}
		pcntl_waitpid($pid, $status);
		ok(pcntl_wifsignaled($status), "$way: the worker was killed");
		/* A batch lasts for a second: on a slow machine it may be over. */
	} while (($store = $ask(1)->store) !== 'lease' && $tries++ < 20);
	same('lease', $store, $way);
}
done();
?>
--EXPECT--
done
