--TEST--
consume() with labels returns the same and counts the same, in whichever order its arrays name labels and limits
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
/* Arrays in the order of the limits take a short path, which has to agree with the general one. */
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{Clock, Limit, Limiter, Period};

Clock::freeze(1_900_000_000);
mt_srand(20261122);
$sets = [
	['a' => Limit::fixedWindow(40, 60)->by('tenant'), 'b' => Limit::slidingWindow(60, 60)->by('tenant'), 'c' => Limit::tokenBucket(30, 2)->by('user')],
	['a' => Limit::tokenBucket(30, 2)->by('tenant'), 'b' => Limit::fixedWindow(25, 10)->by('user')],
	['a' => Limit::slidingLog(20, 30)->by('tenant'), 'b' => Limit::fixedWindow(9, 60)->ban(30)->by('user'), 'c' => Limit::tokenBucket(50, 5)->by('tenant')],
	['a' => Limit::calendar(30, Period::Minute, 'UTC')->by('tenant'), 'b' => Limit::tokenBucket(20, 1)->by('user')],
	['a' => Limit::fixedWindow(50, 60)->by('country'), 'b' => Limit::slidingWindow(30, 60)->by('tenant'), 'c' => Limit::tokenBucket(15, 1)->by('user')],
];
$seen = static fn ($r): array => [$r->accepted, $r->reason->name, $r->limit, $r->remaining, $r->retryAfter, $r->resetAfter, $r->nextAfter, $r->granted, $r->name, $r->store, $r->headers()];
$verdicts = [0, 0];
foreach ($sets as $n => $limits) {
	$short = new Limiter("short $n", $limits);
	$general = new Limiter("general $n", $limits);
	for ($i = 0; $i < 600; $i++) {
		if (mt_rand(0, 2) === 0) {
			Clock::advance(mt_rand(1, 4000) / 1000);
		}
		$id = ['country' => 'se', 'tenant' => mt_rand(1, 2), 'user' => 'u' . mt_rand(1, 3)];
		$id = array_intersect_key($id, array_flip($n === 4 ? ['country', 'tenant', 'user'] : ['tenant', 'user']));
		$costs = array_map(static fn (): int => mt_rand(0, 4) === 0 ? 0 : mt_rand(1, 3), $limits);
		$costs['a'] = max(1, $costs['a']);
		$args = match (mt_rand(0, 2)) {
			0 => [[$id], [array_reverse($id)]],
			1 => (static fn (int $cost): array => [[$id, $cost], [array_reverse($id), $cost, 0]])(mt_rand(1, 3)),
			2 => [[$id, $costs], [array_reverse($id), array_reverse($costs)]],
		};
		$one = $short->consume(...$args[0]);
		$other = $general->consume(...$args[1]);
		same($seen($other), $seen($one), "set $n, call $i: " . json_encode($args[0]));
		$verdicts[(int) $one->accepted]++;
	}
}
ok(min($verdicts) > 300, json_encode($verdicts));
foreach ([0, 1_000_000_000_001, -1] as $cost) {
	throws(FrequencyLimit\InvalidArgument::class, ['$cost', (string) $cost], static fn () => $short->consume(['country' => 1, 'tenant' => 1, 'user' => 1], $cost), "a cost of $cost");
	throws(FrequencyLimit\InvalidArgument::class, ['$cost'], static fn () => $short->consume(['country' => 1, 'tenant' => 1, 'user' => 1], ['a' => $cost, 'b' => 0, 'c' => 0]), "costs with $cost");
}
$stats = FrequencyLimit\Monitor::stats();
same($stats['decisions'], array_sum($verdicts) * 2, 'each call is one decision');
done();
?>
--EXPECT--
done
