--TEST--
The text of a calendar window names quarters, years, any week and intervals with their anchor; none() has a text
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{InvalidArgument, Limit, Period};

$zone = new DateTimeZone('America/New_York');
foreach ([
	'calendar:5/quarter@UTC' => Limit::calendar(5, Period::Quarter, 'UTC'),
	'calendar:5/year@Europe/Berlin' => Limit::calendar(5, Period::Year, 'Europe/Berlin'),
	'calendar:5/week@UTC' => Limit::calendar(5, Period::Week, 'UTC', weekStart: 1),
	'calendar:5/week-tue@UTC' => Limit::calendar(5, Period::Week, 'UTC', weekStart: 2),
	'calendar:5/week-sun@UTC,ban=week-sun' => Limit::calendar(5, Period::Week, 'UTC', weekStart: 7)->ban(Period::Week),
	'calendar:5/day@UTC,ban=year' => Limit::calendar(5, Period::Day, 'UTC')->ban(Period::Year),
	'calendar:9/every-1mo@America/New_York,from=2024-02-29T23:59:59,name=bill' =>
		Limit::every(9, new DateInterval('P1M'), new DateTimeImmutable('2024-02-29 23:59:59', $zone))->named('bill'),
	'calendar:9/every-120mo@UTC,from=1970-01-01' => Limit::every(9, new DateInterval('P10Y'), new DateTimeImmutable('@0'), 'UTC'),
	'calendar:9/every-14d@UTC,from=9999-12-31T23:59:59' => Limit::every(9, new DateInterval('P2W'), new DateTimeImmutable('9999-12-31 23:59:59 UTC')),
	'calendar:9/every-5400s@America/New_York,from=2026-01-31T14:00:00Z' =>
		Limit::every(9, new DateInterval('PT90M'), new DateTimeImmutable('2026-01-31 09:00', $zone)),
	'none' => Limit::none(),
	'none,name=free' => Limit::none()->named('free'),
] as $text => $limit) {
	same($text, (string) $limit, 'the text');
	ok(Limit::parse($text) == $limit && (string) Limit::parse($text) === $text, "$text: the limit of the text");
	ok(eval('return ' . var_export($limit, true) . ';') == $limit && unserialize(serialize($limit)) == $limit, "$text: exported");
}
/* Texts that are read and written otherwise. */
foreach ([
	'calendar:5/every-60s@UTC,from=2026-01-31T00:00:00Z' => 'calendar:5/every-60s@UTC,from=2026-01-31Z',
	'calendar:5/every-1mo@UTC,from=2026-01-31T00:00:00' => 'calendar:5/every-1mo@UTC,from=2026-01-31',
	'calendar:5/week-tue@UTC,ban=week' => 'calendar:5/week-tue@UTC,ban=week-tue',
	'calendar:5/week@UTC,ban=week' => 'calendar:5/week@UTC,ban=week',
	'fixed:5/60s,ban=week@UTC' => 'fixed:5/1m,ban=week@UTC',
] as $read => $written) {
	same($written, (string) Limit::parse($read), $read);
}
same([Period::Week, 'none', null], [Limit::parse('calendar:5/week-sat@UTC')->period, Limit::none()->algorithm,
	Limit::parse('calendar:5/every-1mo@UTC,from=2026-01-31')->period], 'properties');

foreach (['calendar:5/every-1mo@UTC' => 'needs its begin', 'calendar:5/day@UTC,from=2026-01-31' => 'only a calendar of an interval',
	'calendar:5/every-121mo@UTC,from=2026-01-31' => 'counts per', 'calendar:5/every-59s@UTC,from=2026-01-31T00:00:00Z' => 'counts per',
	'calendar:5/every-0d@UTC,from=2026-01-31' => 'counts per', 'calendar:5/every-+1d@UTC,from=2026-01-31' => 'counts per',
	'calendar:5/every-1y@UTC,from=2026-01-31' => 'counts per', 'calendar:5/week-mon' => 'counts per',
	'calendar:5/every-1mo@UTC,from=2026-02-29' => 'begins at a moment', 'calendar:5/every-1mo@UTC,from=2026-01-31T24:00:00' => 'begins at a moment',
	'calendar:5/every-1mo@UTC,from=2026-1-31' => 'begins at a moment', 'calendar:5/every-1mo@UTC,from=2026-01-31Z' => 'begins at a moment',
	'calendar:5/every-60s@UTC,from=2026-01-31' => 'begins at a moment', 'calendar:5/every-1mo@UTC,from=2026-01-31 ' => 'begins at a moment',
	'calendar:5/every-1mo@UTC,from=99999-01-01' => 'begins at a moment', 'calendar:5/every-1mo@UTC,from=1968-12-31' => 'begins at a moment',
	'log:5/60s,ban=every-1mo' => 'a duration looks like', 'log:5/60s,from=2026-01-31' => 'only a calendar', 'none,ban=1h' => 'a limit looks like', 'none,name=a,ban=1h' => 'a limit looks like', 'none,name=' => 'not an option'] as $text => $why) {
	throws(InvalidArgument::class, [$text, $why], fn () => Limit::parse($text), $text);
}
done();
?>
--EXPECT--
done
