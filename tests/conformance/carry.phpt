--TEST--
carry(n) lets at most n unused permits of the last window into the next one, and a newcomer has the limit alone
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
date.timezone=UTC
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';

use FrequencyLimit\{Clock, InvalidArgument, Limit, Limiter, Period, Reason};

Clock::freeze(gmmktime(12, 0, 0, 1, 15, 2026));

/* A calendar month: 70 of 100 are left in January, 50 come along; what came along may be carried again. */
$api = new Limiter('api', Limit::calendar(100, Period::Month, 'UTC')->carry(50));
same([true, 70], [$api->consume(1, 30)->accepted, $api->peek(1)->remaining + 1], 'the first window has the limit alone');
Clock::freeze(gmmktime(0, 0, 0, 2, 1, 2026));
same(150, $api->peek(1, 0)->remaining, 'at most n come into the next window');
same(100, $api->peek('newcomer', 0)->remaining, 'a newcomer has the limit alone');
same([100, 50], [$api->consume(1, 100)->limit, $api->peek(1, 0)->remaining], 'the limit is as before');
same(Reason::TooExpensive, $api->consume(1, 101)->reason, 'a cost above the limit is too expensive');
same([true, 0], [$api->consume(1, 50)->accepted, $api->peek(1, 0)->remaining], 'what was carried over is admitted');
same([false, 28.0 * 86400], [($refused = $api->consume(1))->accepted, $refused->retryAfter], 'and not one more');
Clock::freeze(gmmktime(0, 0, 0, 3, 1, 2026));
same(100, $api->peek(1, 0)->remaining, 'a window that was used up leaves nothing');
$api->consume(1, 90);
Clock::freeze(gmmktime(0, 0, 0, 4, 1, 2026));
same(110, $api->peek(1, 0)->remaining, 'ten of March');
$api->consume(1, 1);
Clock::freeze(gmmktime(0, 0, 0, 5, 1, 2026));
same(150, $api->peek(1, 0)->remaining, 'of April 109 are left, 50 come');
Clock::freeze(gmmktime(0, 0, 0, 6, 1, 2026));
same(100, $api->peek(1, 0)->remaining, 'a month without a call leaves nothing');

/* A fixed window: the next one begins less than a period after the last one's end. */
$fixed = new Limiter('fixed', Limit::fixedWindow(10, 60)->carry(4));
$fixed->consume(1, 3);
Clock::advance(119.999999);
same(14, $fixed->peek(1, 0)->remaining, 'less than a period after the end');
Clock::advance(0.000001);
same(10, $fixed->peek(1, 0)->remaining, 'a period after the end');

/* A debt. */
$permit = $fixed->acquire(2, 5);
$permit->settle(25);
Clock::advance(60);
same(10, $fixed->peek(2, 0)->remaining, 'a window in debt leaves nothing');
$permit = $fixed->acquire(3, 10);
$permit->cancel();
Clock::advance(60);
same(14, $fixed->peek(3, 0)->remaining, 'a permit that was given back is left');

/* Two identities in one decision. */
$both = new Limiter('both', [
	Limit::fixedWindow(10, 60)->carry(10)->by('tenant')->named('t'),
	Limit::fixedWindow(2, 60)->by('user')->named('u'),
]);
$both->consume(['tenant' => 1, 'user' => 1]);
Clock::advance(60);
$both->consume(['tenant' => 2, 'user' => 2], 2);
same(false, $both->consume(['tenant' => 1, 'user' => 2])->accepted, 'the user is refused');
$tenant = new Limiter('both', Limit::fixedWindow(10, 60)->carry(10)->by('tenant')->named('t'));
same(19, $tenant->peek(['tenant' => 1], 0)->remaining, 'the refusal leaves what was carried over');

/* A refusal by one identity leaves each part of another one as it was: two parts of one period, of which the first is used up. */
$parts = [
	Limit::fixedWindow(2, 60)->carry(2)->by('user')->named('a'),
	Limit::fixedWindow(15, 60)->carry(15)->by('user')->named('b'),
];
$two = new Limiter('two', [...$parts, Limit::fixedWindow(1, 600)->by('tenant')->named('t')]);
$alone = new Limiter('two', $parts);
$alone->consume(['user' => 1], 2);
$two->consume(['tenant' => 1, 'user' => 2]);
Clock::advance(60);
same(false, $two->consume(['tenant' => 1, 'user' => 1])->accepted, 'the tenant is refused');
same(2, $alone->peek(['user' => 1], 0)->remaining, 'a window that was used up leaves nothing, also behind a refusal');

/* A refusal by one identity begins no carry-over in a window without it. */
$without = new Limiter('without', Limit::fixedWindow(10, 60)->by('user')->named('a'));
$with = new Limiter('without', [Limit::fixedWindow(10, 60)->carry(10)->by('user')->named('a'), Limit::fixedWindow(1, 600)->by('tenant')->named('t')]);
$without->consume(['user' => 1], 3);
$with->consume(['user' => 2, 'tenant' => 1]);
same(false, $with->consume(['user' => 1, 'tenant' => 1])->accepted, 'the tenant is refused');
Clock::advance(60);
same(10, (new Limiter('without', Limit::fixedWindow(10, 60)->carry(10)->by('user')))->peek(['user' => 1], 0)->remaining, 'nothing is carried');

/* A deploy that adds carry() begins with the window that runs; one that lowers it applies at once. */
$plain = new Limiter('deploy', Limit::fixedWindow(10, 60));
$added = new Limiter('deploy', Limit::fixedWindow(10, 60)->carry(10));
$plain->consume(1, 4);
same(6, $added->peek(1, 0)->remaining, 'nothing has been carried');
$added->consume(1);
Clock::advance(60);
same(15, $added->peek(1, 0)->remaining, 'what is left comes along');
$added->consume(1);
same(11, (new Limiter('deploy', Limit::fixedWindow(10, 60)->carry(2)))->peek(1, 0)->remaining, 'carry(2): two of five');
same(9, $plain->peek(1, 0)->remaining, 'without carry()');
$plain->consume(1);
same(8, $added->peek(1, 0)->remaining, 'a call without carry() drops what was carried');

/* The text, and equality. */
$limit = Limit::fixedWindow(10, 60)->carry(4);
same(['fixed:10/1m,carry=4', 4, 0], [(string) $limit, $limit->carry, Limit::fixedWindow(10, 60)->carry], 'the text');
ok(Limit::parse('fixed:10/1m,carry=4') == $limit && unserialize(serialize($limit)) == $limit && $limit != Limit::fixedWindow(10, 60), 'equal');
same('calendar:5/day@UTC,carry=5,name=a', (string) Limit::parse('calendar:5/day@UTC,name=a,carry=5'), 'a calendar');

/* Wrong arguments change nothing. */
throws(InvalidArgument::class, [], fn () => Limit::fixedWindow(10, 60)->carry(0), 'refused');
throws(InvalidArgument::class, [], fn () => Limit::fixedWindow(10, 60)->carry(11), 'refused');
throws(InvalidArgument::class, [], fn () => Limit::fixedWindow(10 ** 12, 60)->carry(1), 'refused');
throws(InvalidArgument::class, [], fn () => Limit::slidingLog(10, 60)->carry(1), 'refused');
throws(InvalidArgument::class, [], fn () => Limit::tokenBucket(10, 60)->carry(1), 'refused');
throws(InvalidArgument::class, [], fn () => Limit::fixedWindow(10, 60)->leased(5)->carry(1), 'refused');
throws(InvalidArgument::class, [], fn () => Limit::fixedWindow(10, 60)->carry(1)->leased(5), 'refused');
foreach (['fixed:10/1m,carry=0', 'fixed:10/1m,carry=11', 'fixed:10/1m,carry=x', 'log:10/1m,carry=1', 'fixed:10/1m,carry=1,lease=5'] as $text) {
	throws(InvalidArgument::class, [], fn () => Limit::parse($text), 'refused');
}
$moment = new DateTimeImmutable('+1 day');
throws(InvalidArgument::class, [], fn () => $api->reserve(1, $moment), 'refused');
throws(InvalidArgument::class, [], fn () => $api->cancel(1, $moment), 'refused');
throws(InvalidArgument::class, [], fn () => $api->acquire(1, maxWait: 5), 'refused');
same(100, $api->peek(1, 0)->remaining, 'nothing changed');
done();
?>
--EXPECT--
done
