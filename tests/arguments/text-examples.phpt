--TEST--
Limit::parse() makes the limit of a factory and its with-methods, and a string of it is the one text of that limit
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\Limit;
use FrequencyLimit\Period;
date_default_timezone_set('Europe/Paris');

$fixed = Limit::fixedWindow(10, 30);
foreach ([
	'fixed:10/30s' => [$fixed, 'fixed:10/30s'],
	'log:5/900s' => [Limit::slidingLog(5, 900), 'log:5/15m'],
	'window:1000000/60s' => [Limit::slidingWindow(1_000_000, 60), 'window:1000000/1m'],
	'calendar:10/hour@Asia/Shanghai' => [Limit::calendar(10, Period::Hour, 'Asia/Shanghai'), 'calendar:10/hour@Asia/Shanghai'],
	'calendar:10/month' => [Limit::calendar(10, Period::Month), 'calendar:10/month@Europe/Paris'],
	'calendar:10/day@Asia/Shanghai,ban=week' => [Limit::calendar(10, Period::Day, 'Asia/Shanghai')->ban(Period::Week), 'calendar:10/day@Asia/Shanghai,ban=week'],
	'bucket:10/1s' => [Limit::tokenBucket(10, 1), 'bucket:10/1s'],
	'bucket:10/1s,burst=10' => [Limit::tokenBucket(10, 1), 'bucket:10/1s'],
	'bucket:10/1s,burst=50' => [Limit::tokenBucket(10, 1, 50), 'bucket:10/1s,burst=50'],
	'concurrent:2/600s' => [Limit::concurrent(2, 600), 'concurrent:2/10m'],
	'log:5/15m,ban=1h,name=account' => [Limit::slidingLog(5, 900)->ban(3600)->named('account'), 'log:5/15m,ban=1h,name=account'],
	'log:5/15m,name=account,ban=1h' => [Limit::slidingLog(5, 900)->ban(3600)->named('account'), 'log:5/15m,ban=1h,name=account'],
	'fixed:10/30s,ban=day' => [$fixed->ban(Period::Day), 'fixed:10/30s,ban=day@Europe/Paris'],
	'fixed:10/30s,ban=day@Asia/Tokyo' => [Limit::parse('fixed:10/30s,ban=day@Asia/Tokyo'), 'fixed:10/30s,ban=day@Asia/Tokyo'],
	'fixed:10/30s,ban=@1799999999.25' => [$fixed->ban(new DateTimeImmutable('@1799999999.25')), 'fixed:10/30s,ban=@1799999999.25'],
	'fixed:10/1.5ms,ban=0.25s' => [Limit::fixedWindow(10, 0.0015)->ban(0.25), 'fixed:10/1.5ms,ban=250ms'],
	'fixed:10/3650d' => [Limit::fixedWindow(10, 315_360_000), 'fixed:10/3650d'],
	'fixed:10/0.5h' => [Limit::fixedWindow(10, 1800), 'fixed:10/30m'],
	'fixed:10/1.000001s' => [Limit::fixedWindow(10, 1.000001), 'fixed:10/1000.001ms'],
	'calendar:10/year@UTC,ban=quarter' => [Limit::calendar(10, Period::Year, 'UTC')->ban(Period::Quarter), 'calendar:10/year@UTC,ban=quarter'],
	'calendar:10/week-sun@UTC,ban=week-sun' => [Limit::calendar(10, Period::Week, 'UTC', 7)->ban(Period::Week), 'calendar:10/week-sun@UTC,ban=week-sun'],
	'fixed:10/30s,bans=60s 10m 1h,forget=7d' => [$fixed->ban([60, 600, 3600], 604_800), 'fixed:10/30s,bans=1m+10m+1h,forget=1w'],
	'fixed:10/30s,forget=1m,bans=1m' => [$fixed->ban([60], 60), 'fixed:10/30s,bans=1m,forget=1m'],
	'fixed:100/30s,shadow,lease' => [Limit::fixedWindow(100, 30)->leased()->shadow(), 'fixed:100/30s,lease,shadow'],
	'fixed:1000000000000/30s' => [Limit::fixedWindow(1_000_000_000_000, 30), 'fixed:1000000000000/30s'],
	'fixed:10/30s,name=x,by=a%2cb' => [$fixed->by('a,b')->named('x'), 'fixed:10/30s,by=a%2Cb,name=x'],
	'none,by=tenant,name=x' => [Limit::none()->by('tenant')->named('x'), 'none,by=tenant,name=x'],
	'fixed:10/30s,name=a b=c:d/e@f' => [$fixed->named('a b=c:d/e@f'), 'fixed:10/30s,name=a%20b=c:d/e@f'],
	'fixed:10/30s,name=a%2cb%25' => [$fixed->named('a,b%'), 'fixed:10/30s,name=a%2Cb%25'],
] as $text => [$limit, $written]) {
	ok(Limit::parse($text) == $limit, "$text is $limit");
	same($written, (string) $limit, $text);
	same($written, (string) Limit::parse($written), "$written, again");
}

/* A ban that replaces another one leaves nothing of it. */
ok($fixed->ban(Period::Day)->ban(5) == $fixed->ban(5), 'a duration in place of a period');
same('fixed:10/30s,ban=day@Europe/Paris', (string) $fixed->ban(5)->ban(Period::Day), 'a period in place of a duration');
ok($fixed instanceof Stringable, 'Stringable');
foreach ([Limit::fixedWindow(11, 30), Limit::fixedWindow(10, 31), Limit::slidingLog(10, 30), $fixed->ban(1), $fixed->named('x'), $fixed->leased(), null] as $other) {
	ok($fixed != $other, 'not equal to ' . ($other ?? 'null'));
}
done();
?>
--EXPECT--
done
