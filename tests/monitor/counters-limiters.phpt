--TEST--
Decisions, refusals, bans, shadow refusals and near misses count by limiter and by limit
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('real', 'redis'); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';
/* Scenario: what limiters(), top() and bans() say of limiters. */

require_once __DIR__ . '/counters.inc';
use FrequencyLimit\{Limit, Limiter};

function scenario_limiters(?string $store): void
{
	$limiter = new Limiter('login', ['account' => Limit::fixedWindow(10, 60)->ban(600), Limit::slidingLog(500, 60)], $store);
	for ($i = 0; $i < 13; $i++) {
		$limiter->consume('bob');
	}
	for ($i = 0; $i < 12; $i++) {
		$limiter->allow(7);
	}
	same(['decisions' => 25, 'refused' => 5, 'banned' => 2, 'near' => 2], counts('login'), 'a limiter');
	same(['account' => ['refused' => 5, 'banned' => 2]], limit_counts('login'), 'its limit');
	$top = array_map(fn (array $row): array => [$row['kind'], $row['name'], $row['identity'], $row['refusals'], $row['error'], $row['limit']], FrequencyLimit\Monitor::top());
	same([['limiter', 'login', 'bob', 3, 0, 'account'], ['limiter', 'login', 7, 2, 0, 'account']], $top, 'top()');
	$bans = FrequencyLimit\Monitor::bans();
	same(['bob', 7], array_column($bans, 'identity') === [7, 'bob'] ? ['bob', 7] : array_column($bans, 'identity'), 'bans()');
	between(500, $bans[0]['end'] - time(), 602, 'the end of a ban');

	/* What asks nothing of a limit is no decision. */
	$limiter->peek('bob');
	$limiter->credit('bob');
	same(25, counts('login')['decisions'], 'peek() and credit() are none');

	ok($limiter->unban(7), 'unban()');
	same(['bob'], array_column(FrequencyLimit\Monitor::bans(), 'identity'), 'unban() removes it from bans()');
	ok($limiter->reset('bob'), 'reset()');
	same([], FrequencyLimit\Monitor::bans(), 'reset() does, too');
	same([7], array_column(FrequencyLimit\Monitor::top(), 'identity'), 'and from top()');
	$limiter->ban('eve', 100);
	same([['eve', 0]], array_map(fn (array $row): array => [$row['identity'], $row['level']], FrequencyLimit\Monitor::bans()), 'a ban by hand');
	$limiter->reset('eve');
	$limiter->reset(7);

	/* A limiter's shadow limits, an escalating ban, permits, many at once, and a limit for each identity. */
	$shadow = new Limiter('shadow', [Limit::fixedWindow(100, 60), Limit::fixedWindow(2, 60)->named('small')->shadow()], $store);
	for ($i = 0; $i < 5; $i++) {
		$shadow->consume('x');
	}
	same(['decisions' => 5, 'shadow' => 3], counts('shadow'), 'shadow limits');
	same(['small' => ['shadow' => 3]], limit_counts('shadow'), 'by limit');
	$only = new Limiter('only', Limit::fixedWindow(2, 60)->named('small')->shadow(), $store);
	for ($i = 0; $i < 5; $i++) {
		$only->consume('x');
	}
	same(['decisions' => 5, 'shadow' => 3], array_diff_key(counts('only'), ['near' => 0]), 'a limiter of shadow limits');
	$escalating = new Limiter('escalating', Limit::fixedWindow(1, 60)->ban([100, 1000], forget: 5000), $store);
	$escalating->allow(1);
	$escalating->allow(1);
	same([[1, 1]], array_map(fn (array $row): array => [$row['identity'], $row['level']], FrequencyLimit\Monitor::bans()), 'the level of a ban');
	$escalating->reset(1);
	$permits = new Limiter('permits', Limit::concurrent(1, 60)->named('places'), $store);
	$held = $permits->acquire('x');
	$refused = $permits->acquire('x');
	same([['decisions' => 2, 'refused' => 1, 'near' => 1], ['places' => ['refused' => 1]]], [counts('permits'), limit_counts('permits')], 'acquire()');
	$held->release();
	(new Limiter('many', Limit::fixedWindow(1, 60)->named('one'), $store))->consumeMany(['a', 'b', 'a', 'a']);
	same(['decisions' => 4, 'refused' => 2, 'near' => 2], counts('many'), 'consumeMany()');
	$by = new Limiter('by', ['tenant' => Limit::fixedWindow(50, 60)->by('tenant'), 'user' => Limit::fixedWindow(1, 60)->by('user')], $store);
	$by->consume(['tenant' => 3, 'user' => 'u']);
	$by->consume(['tenant' => 3, 'user' => 'u']);
	same(['user' => ['refused' => 1]], limit_counts('by'), 'the limit of an identity');
	same([['by', 'user', 'u']], array_values(array_filter(array_map(fn (array $row): array => [$row['name'], $row['by'], $row['identity']], FrequencyLimit\Monitor::top(100)),
		fn (array $row): bool => $row[0] === 'by')), 'and the identity');
	$by->reset(['tenant' => 3, 'user' => 'u']);
	same(0, count(array_filter(FrequencyLimit\Monitor::top(100), fn (array $row): bool => $row['name'] === 'by')), 'reset() removes it');
}

$store = each_store('real', 'redis');
scenario_limiters($store->name() === 'redis' ? $store->server->dsn() : null);
done();
?>
--EXPECT--
done
