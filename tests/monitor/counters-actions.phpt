--TEST--
Refusals and bans of actions count by name; a row of an action has no decisions
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/counters.inc';

ini_set('error_log', '/dev/null'); // a server that is away is news

for ($i = 0; $i < 1000; $i++) {
	FrequencyLimit::doHandle('like', 7, 60, 5);
}
for ($i = 0; $i < 6; $i++) {
	FrequencyLimit::doHandle('upload', 8, 60, 2, ['type' => 1, 'ttl' => 100]);
	FrequencyLimit::check('look', 'x', 60, 5);
	FrequencyLimit::isActionAllowed('x', 'log', 60, 4);
}
FrequencyLimit::peek('look', 'x', 60, 5);
FrequencyLimit::isActionAllowed('x', 'log', 60, 4, true);
same(['refused' => 995], counts('like', 'action'), 'doHandle()');
same(['refused' => 4, 'banned' => 1], counts('upload', 'action'), 'with a ban');
same(['refused' => 1], counts('look', 'action'), 'check()');
same(['refused' => 2], counts('log', 'action'), 'isActionAllowed()');
same([], array_column(FrequencyLimit\Monitor::limiters(), 'decisions'), 'no row has decisions');
ok(!str_contains(FrequencyLimit\Monitor::metrics(), 'ratelimit_limiter_decisions_total{'), 'nor have the metrics');
same([['upload', 8]], array_map(fn (array $row): array => [$row['name'], $row['identity']], FrequencyLimit\Monitor::bans()), 'the ban');
FrequencyLimit::ban('pay', 'eve', 50);
same(['upload', 'pay'], array_column(FrequencyLimit\Monitor::bans(), 'name'), 'a ban by hand, which ends earlier');
FrequencyLimit::unban('pay', 'eve');
FrequencyLimit::reset('upload', 8);
same([], FrequencyLimit\Monitor::bans(), 'lifted');
(new FrequencyLimit\Limiter('none', FrequencyLimit\Limit::none()))->ban('x', 600);
same([], FrequencyLimit\Monitor::bans(), 'a limiter without a limit bans no one');

/* Two actions in turn, and an action whose string is another one with the same bytes. */
FrequencyLimit::reset('like', 7);
for ($i = 0; $i < 100; $i++) {
	FrequencyLimit::doHandle(str_repeat('a', 3), 1, 60, 10);
	FrequencyLimit::doHandle(str_repeat('b', 3), 1, 60, 20);
}
same([90, 80], [counts('aaa', 'action')['refused'], counts('bbb', 'action')['refused']], 'in turn');

ini_set('ratelimit.enforce', '0');
for ($i = 0; $i < 12; $i++) {
	ok(FrequencyLimit::doHandle('shadow', 7, 60, 10), 'passes');
}
same(2, counts('shadow', 'action')['shadow'], 'ratelimit.enforce=0');
ini_set('ratelimit.enforce', '1');

/* What on_failure decides, and what it does not. */
ini_set('ratelimit.store', 'redis://127.0.0.1:1');
foreach (['local', 'allow', 'deny'] as $policy) {
	ini_set('ratelimit.on_failure', $policy);
	FrequencyLimit::doHandle("away, $policy", 1, 60, 10);
}
ini_set('ratelimit.on_failure', 'throw');
throws(FrequencyLimit\StoreException::class, [], fn () => FrequencyLimit::doHandle('away, throw', 1, 60, 10), 'throw');
same([['fallback' => 1], ['fallback' => 1], ['refused' => 1, 'fallback' => 1], ['errors' => 1]],
	array_map(fn (string $policy): array => counts("away, $policy", 'action'), ['local', 'allow', 'deny', 'throw']), 'a store that is away');
done();
?>
--EXPECT--
done
