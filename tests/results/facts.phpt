--TEST--
A Result has the exact facts of its decision
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores(); ?>
--FILE--
<?php
require __DIR__ . '/../include/stores.inc';

use FrequencyLimit\Reason;

function scenario(TestStore $store): void
{
	/* The embedded store's clock is frozen at a whole second. On Redis real time passes between two calls, and a window that begins
	 * within a millisecond ends with one. */
	[$less, $more] = $store->name() === 'shm' ? [0.0, 0.0] : [$store->grain(), 0.001];
	$about = fn (float $exact, float $actual, string $what) => between($exact - $less, $actual, $exact + $more, $what);

	$number = 20;
	for ($left = $number - 1; $left >= 0; $left--) {
		$r = FrequencyLimit::check('facts', 'user-1', 60, $number);
		same(true, $r->accepted, "accepted with $left left");
		same(Reason::Accepted, $r->reason, 'reason');
		same($number, $r->limit, 'limit');
		same($left, $r->remaining, 'remaining');
		same(0.0, $r->retryAfter, 'retryAfter of an accepted call');
		$about(60.0, $r->resetAfter, 'resetAfter is the time to the end of the window');
		same(null, $r->name, 'name');
		same($store->name(), $r->store, 'store');
	}
	$store->advance(25);
	for ($i = 0; $i < 3; $i++) {
		$r = FrequencyLimit::check('facts', 'user-1', 60, $number);
		same(false, $r->accepted, 'refused');
		same(Reason::Limited, $r->reason, 'reason of a refusal');
		same(0, $r->remaining, 'remaining of a refusal');
		$about(35.0, $r->retryAfter, 'retryAfter of a refusal');
		same($r->resetAfter, $r->retryAfter, 'retryAfter and resetAfter of a refusal');
	}

	/* A ban. */
	$ban = ['type' => 1, 'ttl' => 3600];
	$r = FrequencyLimit::check('facts', 'user-1', 60, $number, $ban);
	same([false, Reason::Banned, $number, 0], [$r->accepted, $r->reason, $r->limit, $r->remaining], 'the call that starts the ban');
	$about(3600.0, $r->retryAfter, 'retryAfter of the call that starts the ban');
	$store->advance(1000);
	$r = FrequencyLimit::check('facts', 'user-1', 60, $number * 2);
	same([false, Reason::Banned, 0], [$r->accepted, $r->reason, $r->remaining], 'a call in the ban, whatever it asks for');
	$about(2600.0, $r->retryAfter, 'retryAfter in the ban');
	$about(2600.0, $r->resetAfter, 'resetAfter in the ban');

	/* doHandle and check share their counts. */
	FrequencyLimit::doHandle('shared', 5, 60, 3);
	same(1, FrequencyLimit::check('shared', 5, 60, 3)->remaining, 'check after doHandle');
	same(true, FrequencyLimit::doHandle('shared', 5, 60, 3), 'doHandle after check');
	same(false, FrequencyLimit::doHandle('shared', 5, 60, 3), 'the fourth');

	/* A number below what was counted: remaining is 0, never less. */
	same(0, FrequencyLimit::check('shared', 5, 60, 1)->remaining, 'never below 0');
	same(16777212, FrequencyLimit::check('shared', 5, 60, 16777215)->remaining + 1, 'and the largest number counts from the same');
}

scenario(each_store());
done();
?>
--EXPECT--
done
