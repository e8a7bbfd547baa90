--TEST--
top() is exact for a burst of 3,000 refusals of 60 callers, and beyond that no true number is outside of its error
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{Clock, Limit, Limiter, Monitor};

Clock::freeze(); /* all counts halve every two minutes: not during a loop */

$limiter = new Limiter('api', Limit::fixedWindow(1, 86400));
$refuse = function (array $counts) use ($limiter): void {
	foreach (array_keys($counts) as $id) {
		$limiter->allow($id);
	}
	/* In turn, as from many clients at once. */
	for ($round = 0; $counts !== []; $round++) {
		foreach ($counts as $id => $n) {
			$limiter->allow($id);
			if ($n === 1) {
				unset($counts[$id]);
			} else {
				$counts[$id]--;
			}
		}
	}
};
$rows = fn (): array => array_column(Monitor::top(1000), null, 'identity');

/* As fast as a loop can. */
$true = [];
for ($i = 1; $i <= 60; $i++) {
	$true["c$i"] = $i === 40 ? 22 : ($i < 5 ? 40 : 51);
}
same(true, array_sum($true) <= 3000, 'some thousand');
$refuse($true);
$found = array_map(fn (array $row): array => [$row['refusals'], $row['error']], $rows());
ksort($found);
$expected = array_map(fn (int $n): array => [$n, 0], $true);
ksort($expected);
same($expected, $found, 'each caller, exactly');

/* Ten times as many, of actions, too. */
FrequencyLimit::flush();
$refuse($many = array_map(fn (int $n): int => 20 * $n, $true));
for ($i = 0; $i < 50_000; $i++) {
	FrequencyLimit::doHandle('like', 7, 86400, 1);
}
$found = $rows();
foreach ($many + [7 => 49_999] as $id => $n) {
	ok(isset($found[$id]) && abs($found[$id]['refusals'] - $n) <= $found[$id]['error'], "$id: $n, found " . json_encode($found[$id] ?? null));
}
same(7, array_key_first($found), 'the first one');
done();
?>
--EXPECT--
done
