--TEST--
Limit::every() and calendar(): a bad interval, anchor, time zone or first day of a week is an InvalidArgument
--EXTENSIONS--
ratelimit
--INI--
date.timezone=UTC
--FILE--
<?php
use FrequencyLimit\{InvalidArgument, Limit, Period};

function attempt(string $what, callable $make): void
{
	try {
		$make();
		echo "$what: accepted\n";
	} catch (InvalidArgument|TypeError|Error $e) {
		echo "$what: ", $e instanceof InvalidArgument ? '' : get_class($e) . ' ', $e->getMessage(), "\n";
	}
}

$anchor = new DateTimeImmutable('2026-01-31');
$negative = new DateInterval('P1D');
$negative->invert = 1;
$below = new DateInterval('P1D');
$below->d = -1;
$fraction = new DateInterval('PT1H');
$fraction->f = 0.5;
foreach (['PT60S', 'PT1H30M', 'P1D', 'P6W', 'P3650D', 'P1M', 'P1Y6M', 'P10Y', 'P120M', 'PT315360000S', 'P0D', 'PT59S', 'P3651D', 'P121M', 'P10Y1M',
	'PT315360001S', 'P1M1D', 'P1DT12H', 'P1Y1DT1S'] as $interval) {
	attempt($interval, fn () => Limit::every(1, new DateInterval($interval), $anchor));
}
attempt('inverted', fn () => Limit::every(1, $negative, $anchor));
attempt('negative days', fn () => Limit::every(1, $below, $anchor));
attempt('a fraction of a second', fn () => Limit::every(1, $fraction, $anchor));
attempt('last day of next month', fn () => Limit::every(1, DateInterval::createFromDateString('last day of next month'), $anchor));
attempt('next monday', fn () => Limit::every(1, DateInterval::createFromDateString('next monday'), $anchor));
attempt('2 weekdays', fn () => Limit::every(1, DateInterval::createFromDateString('2 weekdays'), $anchor));
attempt('the difference of two dates', fn () => Limit::every(1, (new DateTime('2026-01-01'))->diff(new DateTime('2026-02-01')), $anchor));
attempt('an empty interval', fn () => Limit::every(1, (new ReflectionClass('DateInterval'))->newInstanceWithoutConstructor(), $anchor));
attempt('an anchor before 1970', fn () => Limit::every(1, new DateInterval('P1M'), new DateTime('1969-12-31')));
attempt('an anchor of 9999', fn () => Limit::every(1, new DateInterval('P1M'), new DateTime('9999-12-31')));
attempt('a zone that is none', fn () => Limit::every(1, new DateInterval('P1M'), $anchor, 'Europe/Nowhere'));
attempt('an offset', fn () => Limit::every(1, new DateInterval('P1M'), $anchor, '+05:30'));
attempt('limit 0', fn () => Limit::every(0, new DateInterval('P1M'), $anchor));
attempt('no interval', fn () => Limit::every(1, 'P1M', $anchor));
attempt('no anchor', fn () => Limit::every(1, new DateInterval('P1M'), 0));
foreach ([0, 1, 7, 8, -1] as $day) {
	attempt("a week from day $day", fn () => Limit::calendar(1, Period::Week, 'UTC', $day));
}
attempt('a month from day 1', fn () => Limit::calendar(1, Period::Month, 'UTC', 1));
attempt('a month from day 2', fn () => Limit::calendar(1, Period::Month, weekStart: 2));
?>
--EXPECT--
PT60S: accepted
PT1H30M: accepted
P1D: accepted
P6W: accepted
P3650D: accepted
P1M: accepted
P1Y6M: accepted
P10Y: accepted
P120M: accepted
PT315360000S: accepted
P0D: 非法参数: $interval must be between a minute and ten years (120 months, 3650 days), 0 seconds given
PT59S: 非法参数: $interval must be between a minute and ten years (120 months, 3650 days), 59 seconds given
P3651D: 非法参数: $interval must be between a minute and ten years (120 months, 3650 days), 3651 days given
P121M: 非法参数: $interval must be between a minute and ten years (120 months, 3650 days), 121 months given
P10Y1M: 非法参数: $interval must be between a minute and ten years (120 months, 3650 days), 121 months given
PT315360001S: 非法参数: $interval must be between a minute and ten years (120 months, 3650 days), 315360001 seconds given
P1M1D: 非法参数: $interval must be of years and months, or of weeks and days, or of hours, minutes and seconds, 1 months, 1 days and 0 seconds given
P1DT12H: 非法参数: $interval must be of years and months, or of weeks and days, or of hours, minutes and seconds, 0 months, 1 days and 43200 seconds given
P1Y1DT1S: 非法参数: $interval must be of years and months, or of weeks and days, or of hours, minutes and seconds, 12 months, 1 days and 1 seconds given
inverted: 非法参数: $interval must be positive, of whole seconds, and without a day such as "next monday", another one given
negative days: 非法参数: $interval must be positive, of whole seconds, and without a day such as "next monday", another one given
a fraction of a second: 非法参数: $interval must be positive, of whole seconds, and without a day such as "next monday", another one given
last day of next month: 非法参数: $interval must be positive, of whole seconds, and without a day such as "next monday", another one given
next monday: 非法参数: $interval must be positive, of whole seconds, and without a day such as "next monday", another one given
2 weekdays: 非法参数: $interval must be positive, of whole seconds, and without a day such as "next monday", another one given
the difference of two dates: accepted
an empty interval: Error The DateInterval is empty: its constructor has not been called
an anchor before 1970: 非法参数: $anchor must be in the years 1970 to 9999
an anchor of 9999: accepted
a zone that is none: 非法参数: $timezone must be a time zone that DateTimeZone takes, "Europe/Nowhere" given
an offset: accepted
limit 0: 非法参数: $limit must be between 1 and 1000000000000, 0 given
no interval: TypeError FrequencyLimit\Limit::every(): Argument #2 ($interval) must be of type DateInterval, string given
no anchor: TypeError FrequencyLimit\Limit::every(): Argument #3 ($anchor) must be of type DateTimeInterface, int given
a week from day 0: 非法参数: $weekStart must be between 1 and 7, 0 given
a week from day 1: accepted
a week from day 7: accepted
a week from day 8: 非法参数: $weekStart must be between 1 and 7, 8 given
a week from day -1: 非法参数: $weekStart must be between 1 and 7, -1 given
a month from day 1: accepted
a month from day 2: 非法参数: $weekStart must be left out for a period other than Period::Week, 2 given
