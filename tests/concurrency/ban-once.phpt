--TEST--
Concurrent refusals start a ban once
--EXTENSIONS--
ratelimit
pcntl
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'redis', 'real'); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';

function scenario(TestStore $store): void
{
	/* Every worker asks for a ban of another length: one of them starts it, and all others get that one. */
	for ($round = 0; $round < 20; $round++) {
		FrequencyLimit::doHandle("ban$round", 1, 3600, 1);
		$waits = in_processes(8, function (int $i) use ($round) {
			$ban = ['type' => 1, 'ttl' => 10000 * ($i + 1)];
			$waits = [];
			for ($call = 0; $call < 5; $call++) {
				$waits[] = FrequencyLimit::check("ban$round", 1, 3600, 1, $ban)->retryAfter;
			}
			return $waits;
		});
		$lengths = array_unique(array_map(fn ($wait) => round($wait / 10000), array_merge(...$waits)));
		same(1, count($lengths), "round $round: different bans");
	}
}

scenario(each_store('embedded', 'redis', 'real'));
done();
?>
--EXPECT--
done
