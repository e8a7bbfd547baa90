--TEST--
A ban of an action by hand, its end and unban(); a look at isActionAllowed()
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'redis'); ?>
--FILE--
<?php
/* Bans of doHandle()'s actions by hand, and a look at isActionAllowed(). */

require __DIR__ . '/../include/stores.inc';

use FrequencyLimit\{Limit, Limiter, Period, Reason};

function scenario(TestStore $store): void
{
	$call = fn (int $user = 7): bool => FrequencyLimit::doHandle('comment', $user, 60, 3);
	$check = fn (int|string $user) => FrequencyLimit::check('comment', $user, 60, 3);

	/* An identity without a count, and one with a running window. */
	foreach ([7, 8] as $user) {
		$user === 8 && $call(8);
		FrequencyLimit::ban('comment', $user, 100);
		same(false, $call($user), "user $user is banned");
		$result = $check($user);
		same(Reason::Banned, $result->reason, 'the reason');
		same(0, $result->remaining, 'nothing remains');
		ok($result->retryAfter <= 100.001 && $result->retryAfter > 100 - 2 * $store->grain(), "the end: $result->retryAfter");
	}
	ok($call(9), 'another user is not concerned');
	ok(FrequencyLimit::doHandle('like', 7, 60, 3), 'nor another action');
	ok(FrequencyLimit::isActionAllowed(7, 'comment', 60, 1), 'nor isActionAllowed()');
	$store->advance(100 - $store->grain());
	same(false, $call(), 'just before the end');
	$store->advance($store->grain());
	for ($i = 1; $i <= 3; $i++) {
		ok($call(), "call $i of a fresh window passes");
	}
	same(false, $call(), 'and no fourth');

	/* A ban replaces a ban, and is lifted. */
	FrequencyLimit::ban('comment', 7, 1000);
	FrequencyLimit::ban('comment', 7, 10.5);
	ok($check(7)->retryAfter <= 10.501, 'a shorter ban replaces a longer one');
	FrequencyLimit::ban('comment', 7, new DateTimeImmutable('@' . ((int) $store->now() + 500)));
	$left = $check(7)->retryAfter;
	ok($left <= 500 && $left > 499 - $store->grain(), "until a moment: $left");
	same(true, FrequencyLimit::unban('comment', 7), 'there was a ban');
	same(false, FrequencyLimit::unban('comment', 7), 'there is none now');
	ok($call(), 'a fresh window');
	same(false, FrequencyLimit::unban('comment', 7), 'a count is no ban');
	ok($call() && $call() && !$call(), 'and it stays');

	/* A moment that is over by less than a second is no mistake, and changes nothing: neither a ban nor a count. */
	$over = fn (): DateTimeImmutable => DateTimeImmutable::createFromFormat('U.u', sprintf('%.6F', $store->now() - 0.2));
	FrequencyLimit::ban('comment', 11, 100);
	FrequencyLimit::ban('comment', 11, $over());
	same(Reason::Banned, $check(11)->reason, 'the ban of an action goes on');
	ok($check(12)->accepted && $check(12)->remaining === 1, 'a count');
	FrequencyLimit::ban('comment', 12, $over());
	same(0, $check(12)->remaining, 'the count goes on');
	$limiter = new Limiter('past', Limit::fixedWindow(5, 60));
	$limiter->consume(7);
	$limiter->ban(7, 100);
	$limiter->ban(7, $over());
	same(Reason::Banned, $limiter->peek(7)->reason, 'the ban of a limiter goes on');
	$limiter->unban(7);
	$limiter->ban(7, $over());
	ok(in_array(['comment', 11], array_map(fn (array $row): array => [$row['name'], $row['identity']], FrequencyLimit\Monitor::bans()), true), 'the ban is listed');
	same([true, 4], [$limiter->peek(7)->accepted, $limiter->peek(7, 0)->remaining], 'and its count');

	/* A ban by $expire is lifted, too; reset() forgets a ban by hand. */
	FrequencyLimit::doHandle('comment', 10, 60, 1, ['type' => 1, 'ttl' => 600]);
	FrequencyLimit::doHandle('comment', 10, 60, 1, ['type' => 1, 'ttl' => 600]);
	same(true, FrequencyLimit::unban('comment', 10), 'a ban by $expire');
	ok($call(10), 'is lifted');
	FrequencyLimit::ban('comment', 'an address', 60);
	same(Reason::Banned, $check('an address')->reason, 'a string identity');
	same(true, FrequencyLimit::reset('comment', 'an address'), 'reset() forgets it');
	ok($check('an address')->accepted, 'and it passes');

	/* Until the clock's next boundary. */
	date_default_timezone_set('Asia/Kathmandu');
	$end = new DateTimeImmutable('@' . (int) $store->now());
	$end = $end->setTimezone(new DateTimeZone('Asia/Kathmandu'))->modify('first day of January next year 00:00');
	FrequencyLimit::ban('comment', 11, Period::Year);
	$left = $check(11)->retryAfter;
	ok(abs($end->getTimestamp() - $store->now() - $left) < $store->grain() + 1, "until the new year of the default time zone: $left");
	$limiter = new Limiter('by hand', Limit::fixedWindow(1, 1));
	$limiter->ban(11, Period::Year);
	$left = $limiter->peek(11)->retryAfter;
	ok(abs($end->getTimestamp() - $store->now() - $left) < $store->grain() + 1, "of a limiter likewise: $left");
	FrequencyLimit::ban('comment', 11, new DateTime('@' . ((int) $store->now() + 30)));
	ok($check(11)->retryAfter <= 30, 'until a moment');

	/* isActionAllowed() with peek counts nothing. */
	for ($i = 1; $i <= 5; $i++) {
		ok(FrequencyLimit::isActionAllowed(12, 'reply', 60, 2, peek: true), "look $i");
	}
	ok(FrequencyLimit::isActionAllowed(12, 'reply', 60, 2), 'the first call');
	ok(FrequencyLimit::isActionAllowed(12, 'reply', 60, 2, peek: true), 'one is left');
	ok(FrequencyLimit::isActionAllowed(12, 'reply', 60, 2, peek: false), 'the second call');
	same(false, FrequencyLimit::isActionAllowed(12, 'reply', 60, 2, peek: true), 'none is left');
	same(false, FrequencyLimit::isActionAllowed(12, 'reply', 60, 2), 'as a call finds, too');
}

scenario(each_store('embedded', 'redis'));
done();
?>
--EXPECT--
done
