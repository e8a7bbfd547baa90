--TEST--
peek() with a cost of 0 answers the state as it is; nextAfter is exact for each algorithm
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'redis'); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';

use FrequencyLimit\{Limit, Limiter, Period, Reason};

/** A call with a cost of 1 passes after nextAfter, and a millisecond earlier it does not. The clock is frozen. */
function next_is_exact(TestStore $store, Limiter $limiter, string $what): void
{
	$next = $limiter->peek('u', 0)->nextAfter;
	$store->advance($next - 0.001);
	same(false, $limiter->peek('u')->accepted, "$what: a millisecond earlier");
	$store->advance(0.001);
	same(true, $limiter->peek('u')->accepted, "$what: after nextAfter");
	same(0.0, $limiter->peek('u', 0)->nextAfter, "$what: it is there now");
}

function scenario(TestStore $store): void
{
	$limits = [
		'fixed' => Limit::fixedWindow(3, 48),
		'log' => Limit::slidingLog(3, 48),
		'window' => Limit::slidingWindow(3, 48),
		'bucket' => Limit::tokenBucket(3, 48),
		'calendar' => Limit::calendar(3, Period::Minute),
		'two' => [Limit::tokenBucket(5, 30), Limit::slidingLog(3, 48)],
	];
	foreach ($limits as $name => $limit) {
		$limiter = new Limiter($name, $limit);
		$state = $limiter->peek('u', 0);
		same([true, Reason::Accepted, 0.0, 0.0, 0], [$state->accepted, $state->reason, $state->retryAfter, $state->nextAfter, $state->granted],
			"$name: nothing counted");
		$all = $state->limit;
		same($all, $state->remaining, "$name: all remain");
		same($all, $limiter->peek('u', 0)->remaining, "$name: a peek takes none");

		$r = $limiter->consume('u', 2);
		same([true, 0.0, 0.0], [$r->accepted, $r->retryAfter, $r->nextAfter], "$name: one remains");
		same($r->remaining, $limiter->peek('u', 0)->remaining, "$name: as after the call");

		$r = $limiter->consume('u');
		if ($name === 'calendar' && $r->remaining > 0) {
			continue; // on Redis, the minute has ended in between
		}
		same([true, 0], [$r->accepted, $r->remaining], "$name: the last one");
		$state = $limiter->peek('u', 0);
		same([true, Reason::Accepted, 0, 0.0], [$state->accepted, $state->reason, $state->remaining, $state->retryAfter], "$name: used up");
		between($r->nextAfter - $store->grain(), $state->nextAfter, $r->nextAfter, "$name: nextAfter is that of the last call");
		$refused = $limiter->peek('u');
		same([false, true], [$refused->accepted, $refused->nextAfter === $refused->retryAfter], "$name: of a refusal it is retryAfter");
		between($state->nextAfter - $store->grain(), $refused->retryAfter, $state->nextAfter, "$name: which is nextAfter before it");
		ok($state->nextAfter > 0 && $state->nextAfter <= $state->resetAfter, "$name: before the limit is whole");
		if ($store->name() === 'shm') { // on Redis the random programs check it: no scenario can move its time
			next_is_exact($store, $limiter, $name);
		}
	}

	/* doHandle()'s counts. */
	same([0.0, 0.0], [FrequencyLimit::check('c', 1, 60, 2)->nextAfter, FrequencyLimit::check('d', 1, 60, 2)->nextAfter], 'a counter with one left');
	$r = FrequencyLimit::check('c', 1, 60, 2);
	same([true, $r->resetAfter], [$r->accepted, $r->nextAfter], "a counter's last one");
	$r = FrequencyLimit::check('c', 1, 60, 2);
	same([false, $r->retryAfter], [$r->accepted, $r->nextAfter], "a counter's refusal");

	/* A ban refuses a cost of 0, which starts none. */
	$limiter = new Limiter('banned', Limit::fixedWindow(1, 60)->ban(600));
	$limiter->consume('u');
	same([true, Reason::Accepted], [$limiter->peek('u', 0)->accepted, $limiter->peek('u', 0)->reason], 'no ban begins');
	$limiter->consume('u');
	$state = $limiter->peek('u', 0);
	same([false, Reason::Banned, 0], [$state->accepted, $state->reason, $state->remaining], 'the ban');
	between(600 - $store->grain(), $state->retryAfter, 600, 'until it ends');

	/* What was settled above the limit, and what never passes. */
	$limiter = new Limiter('debt', Limit::tokenBucket(10, 10));
	$r = $limiter->acquire('u')->settle(15);
	same(0, $r->remaining, 'in debt');
	between(6 - $store->grain(), $r->nextAfter, 6, 'the next one comes when the debt is paid');
	same([true, 0], [$limiter->peek('u', 0)->accepted, $limiter->peek('u', 0)->remaining], 'a look at it');
	same(null, $limiter->consume('u', 11)->nextAfter, 'too expensive');

	/* What is settled while a ban is running: the next call passes after its end, and when the limit has one then. */
	foreach (['one left' => [5, 60, 100, 100], 'used up, shorter than the ban' => [1, 60, 100, 100], 'used up, longer than the ban' => [1, 600, 100, 600]] as $what => [$most, $seconds, $ban, $next]) {
		$limiter = new Limiter("settled, $what", Limit::fixedWindow($most, $seconds));
		$permit = $limiter->acquire('u');
		$limiter->ban('u', $ban);
		between($next - $store->grain(), $permit->settle(1)->nextAfter, $next + 0.001, "settled in a ban: $what");
	}

	/* Concurrent places. */
	$limiter = new Limiter('places', Limit::concurrent(2, 60));
	same([true, 2, 0.0], [$limiter->peek('u', 0)->accepted, $limiter->peek('u', 0)->remaining, $limiter->peek('u', 0)->nextAfter], 'no place is held');
	$first = $limiter->acquire('u');
	$second = $limiter->acquire('u');
	same([0, true], [$limiter->peek('u', 0)->remaining, $limiter->peek('u', 0)->accepted], 'both are held');
	between(60 - $store->grain(), $second->result->nextAfter, 60, 'an upper bound');

	/* In line. */
	$limiter = new Limiter('line', Limit::tokenBucket(1, 10));
	$limiter->consume('u');
	$permit = $limiter->acquire('u', 1, 100);
	between(10 - $store->grain(), $permit->result->wait, 10, 'its turn');
	between(20 - $store->grain(), $permit->result->nextAfter, 20, 'and the next one behind it');

	throws(FrequencyLimit\InvalidArgument::class, ['非法参数', '$cost', 'between 0 and', '-1 given'], fn () => $limiter->peek('u', -1), 'peek(-1)');
	throws(FrequencyLimit\InvalidArgument::class, ['非法参数', '$cost', 'between 1 and', '0 given'], fn () => $limiter->consume('u', 0), 'consume(0)');
}

scenario(each_store('embedded', 'redis'));
done();
?>
--EXPECT--
done
