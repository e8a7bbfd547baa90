--TEST--
Eight concurrent workers are admitted exactly as often as the limit allows
--EXTENSIONS--
ratelimit
pcntl
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'redis', 'real'); ?>
--FILE--
<?php
/* With a frozen clock (embedded) or a window that outlasts the test (Redis) a limiter is a semaphore. */

require __DIR__ . '/../include/stores.inc';

function scenario(TestStore $store): void
{
	$entries = [
		'doHandle' => fn ($round) => FrequencyLimit::doHandle("do$round", 1, 3600, 100),
		'check' => fn ($round) => FrequencyLimit::check("check$round", "user", 3600, 100)->accepted,
		'isActionAllowed' => fn ($round) => FrequencyLimit::isActionAllowed('user', "allowed$round", 3600, 100),
	];
	foreach ($entries as $name => $entry) {
		/* Every round has one identity. The workers run at once, or one after the other, as the machine schedules them. */
		$rounds = $name === 'isActionAllowed' ? 20 : 100;
		$each = 30;
		$admitted = in_processes(8, function () use ($entry, $rounds, $each) {
			$mine = [];
			for ($round = 0; $round < $rounds; $round++) {
				$mine[$round] = 0;
				for ($call = 0; $call < $each; $call++) {
					$mine[$round] += (int) $entry($round);
				}
			}
			return $mine;
		});
		$wrong = [];
		for ($round = 0; $round < $rounds; $round++) {
			$sum = array_sum(array_column($admitted, $round));
			if ($sum !== 100) {
				$wrong[] = $sum;
			}
		}
		same([], $wrong, "$name: 8 workers, limit 100, $rounds rounds: the sums that are not 100");
	}
}

scenario(each_store('embedded', 'redis', 'real'));
done();
?>
--EXPECT--
done
