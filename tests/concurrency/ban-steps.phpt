--TEST--
Concurrent refusals start one ban, and it escalates by exactly one step
--EXTENSIONS--
ratelimit
pcntl
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'redis', 'real'); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';

use FrequencyLimit\{Limit, Limiter};

function scenario(TestStore $store): void
{
	$limiter = new Limiter('steps', Limit::fixedWindow(1, 3600)->ban(range(10_000, 60_000, 10_000), forget: 1_000_000));

	/* Each round all workers exceed the limit at once: one of them begins the ban, and it is one step longer. */
	for ($level = 1; $level <= 8; $level++) {
		$limiter->consume(1);
		$answers = in_processes(8, function () use ($limiter) {
			$answers = [];
			for ($call = 0; $call < 5; $call++) {
				$result = $limiter->consume(1);
				$answers[] = $result->level . ' ' . round($result->retryAfter / 10_000);
			}
			return $answers;
		});
		same([$level . ' ' . min(6, $level)], array_values(array_unique(array_merge(...$answers))), "round $level");
		same(true, $limiter->unban(1), 'the ban is lifted for the next round');
		same($level, $limiter->peek(1)->level, 'and its level is kept');
	}
}

scenario(each_store('embedded', 'redis', 'real'));
done();
?>
--EXPECT--
done
