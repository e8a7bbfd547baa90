--TEST--
Workers that come and go evict no live state while there is room, and a sliding log admits exactly its limit
--EXTENSIONS--
ratelimit
pcntl
posix
--INI--
ratelimit.testing=1
ratelimit.shm_size=4M
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';

use FrequencyLimit\{Clock, Limit, Limiter};

/* As under php-fpm with pm.max_requests: each worker serves a few calls, and then another takes its place. */
Clock::freeze(1_900_000_000);
$limiter = new Limiter('log', Limit::slidingLog(50, 3600));
foreach (['exits', 'is killed'] as $e => $end) {
	for ($i = 1; $i <= 400; $i++) {
		$id = 1000 * $e + $i;
		$pid = pcntl_fork();
		if ($pid === 0) {
			for ($n = 0; $n < 3; $n++) {
				$limiter->consume($id);
			}
			if ($end === 'is killed') {
				posix_kill(getmypid(), SIGKILL);
			}
			exit(0);
		}
		pcntl_waitpid($pid, $status);
		if ($i % 40 === 0) {
			for ($passed = 3; $passed < 60 && $limiter->consume($id)->accepted; $passed++) {
			}
			same(50, $passed, "worker $i that $end");
		}
	}
}
same(0, FrequencyLimit\Monitor::stats()['evictions'], 'evictions');
done();
?>
--EXPECT--
done
