--TEST--
Result::$limits has what each limit of a decision has left, where that is known, and nothing of a shadow
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'redis'); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';

use FrequencyLimit\{Limit, Limiter, Reason, Result};

/** Returns the entries without their times. */
function numbers(Result $result): array
{
	return array_map(fn (array $limit): array => [$limit['name'], $limit['limit'], $limit['remaining'], $limit['window']], $result->limits);
}

function scenario(TestStore $store): void
{
	$limiter = new Limiter('several', [Limit::slidingLog(3, 60)->named('requests'), Limit::tokenBucket(1000, 3600)->named('tokens'), Limit::fixedWindow(50, 86400)->named('day')]);
	$first = $limiter->consume('u', ['requests' => 1, 'tokens' => 400, 'day' => 1]);
	same([['requests', 3, 2, 60.0], ['tokens', 1000, 600, 3600.0], ['day', 50, 49, 86400.0]], numbers($first), 'accepted');
	foreach ([60.0, 1440.0, 86400.0] as $i => $seconds) {
		between($seconds - $store->grain(), $first->limits[$i]['resetAfter'], $seconds + 0.001, "limit $i is whole then");
	}
	$refused = $limiter->consume('u', ['requests' => 1, 'tokens' => 700, 'day' => 1]);
	same([false, 1000, ['requests', 3, 2, 60.0], ['day', 50, 49, 86400.0]], [$refused->accepted, $refused->limit, numbers($refused)[0], numbers($refused)[2]], 'a refusal takes nothing');
	same([$refused->remaining, $refused->resetAfter], [$refused->limits[1]['remaining'], $refused->limits[1]['resetAfter']], 'of the deciding limit');
	same(['requests', 'tokens', 'day'], array_column($limiter->peek('u')->limits, 'name'), 'of a peek');
	same([['requests', 3, 2, 60.0], ['day', 50, 49, 86400.0]], [numbers($first)[0], numbers($first)[2]], 'a Result stays as it is');

	/* Each label's limit has what its own identity has left. */
	$limiter = new Limiter('labels', [Limit::fixedWindow(9, 60)->by('tenant'), Limit::slidingLog(2, 60)->by('user')]);
	$limiter->consume(['tenant' => 1, 'user' => 1]);
	same([[null, 9, 7, 60.0], [null, 2, 1, 60.0]], numbers($limiter->consume(['tenant' => 1, 'user' => 2])), 'of two identities');
	$limiter->consume(['tenant' => 1, 'user' => 2]);
	same([[null, 9, 6, 60.0], [null, 2, 0, 60.0]], numbers($limiter->consume(['tenant' => 1, 'user' => 2])), 'refused for one of them');

	/* A permit, and a limit without a window. */
	$limiter = new Limiter('places', [Limit::concurrent(2, 60)->named('places'), Limit::fixedWindow(9, 60)]);
	same([['places', 2, 1, 0.0], [null, 9, 8, 60.0]], numbers($limiter->acquire('u')->result), 'of a permit');

	/* A ban: the limit that has begun it has no permits, and the other is as without the ban. */
	$limiter = new Limiter('banned', [Limit::fixedWindow(1, 60)->ban(600), Limit::fixedWindow(9, 60)]);
	$limiter->consume('u');
	$limiter->consume('u');
	$result = $limiter->consume('u');
	same([Reason::Banned, [null, 1, 0, 60.0], [null, 9, 8, 60.0]], [$result->reason, ...numbers($result)], 'in a ban');
	between(600 - $store->grain(), $result->limits[0]['resetAfter'], 600.001, 'until the ban ends');

	/* One limit, and one of Result::of(). */
	same([[null, 5, 4, 60.0]], numbers((new Limiter('one', Limit::fixedWindow(5, 60)))->consume('u')), 'one limit');
	same([[null, 5, 4, 30.0]], numbers(FrequencyLimit::check('one', 'u', 30, 5)), 'a counter');
	same([['made', 7, 3, 5.0]], numbers(Result::of(limit: 7, remaining: 3, name: 'made', window: 5)), 'Result::of()');

	/* Nothing of a shadow. */
	same([], (new Limiter('shadow', Limit::fixedWindow(5, 60)->shadow()))->consume('u')->limits, 'shadows alone');
	same([[null, 5, 4, 60.0]], numbers((new Limiter('both', [Limit::fixedWindow(5, 60), Limit::fixedWindow(2, 60)->shadow()]))->consume('u')), 'beside a shadow');
	same([], (new Limiter('none', Limit::none()))->consume('u')->limits, 'no limit');
	ini_set('ratelimit.enforce', '0');
	same([], (new Limiter('enforce', Limit::fixedWindow(5, 60)))->consume('u')->limits, 'enforce=0');
	ini_set('ratelimit.enforce', '1');
}

scenario(each_store('embedded', 'redis'));

/* What the failure policy and an exempt identity do not know is null; the deciding limit's entry has what the Result has. */
FrequencyLimit\Clock::unfreeze();
$limits = [Limit::fixedWindow(1, 60), Limit::fixedWindow(9, 60)];
foreach (['allow', 'deny'] as $policy) {
	ini_set('ratelimit.on_failure', $policy);
	$result = (new Limiter('unknown', $limits, 'redis://127.0.0.1:1'))->consume('u');
	same([Reason::StoreUnavailable, [null, 9, null, 60.0], null, $result->remaining], [$result->reason, numbers($result)[1], $result->limits[1]['resetAfter'], $result->limits[0]['remaining']], "on_failure=$policy");
}
file_put_contents($file = tempnam(sys_get_temp_dir(), 'limits'), "[free]\na = fixed:1/60s\nb = fixed:9/60s\nexempt = u\n");
ini_set('ratelimit.limiters', $file);
$result = Limiter::named('free')->consume('u');
same(['exempt', [['a', 1, 1, 60.0], ['b', 9, null, 60.0]]], [$result->store, numbers($result)], 'an exempt identity');
unlink($file);
done();
?>
--EXPECT--
done
