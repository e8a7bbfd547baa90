--TEST--
ban() and unban() of an action, ban() of a limit: a bad argument is an InvalidArgument and changes nothing
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
date.timezone=UTC
--FILE--
<?php
use FrequencyLimit\{Clock, InvalidArgument, Limit, Limiter, Period, Reason};

Clock::freeze(1_900_000_000);

function attempt(string $what, callable $call): void
{
	try {
		$call();
		echo "$what: accepted\n";
	} catch (InvalidArgument|TypeError $e) {
		echo "$what: ", $e instanceof InvalidArgument ? '' : 'TypeError ', $e->getMessage(), "\n";
	}
}

foreach ([0, -1, 0.0009, 315_360_001, 1_900_000_060, NAN, 0.001, 315_360_000] as $end) {
	attempt('ban for ' . var_export($end, true), fn () => FrequencyLimit::ban('a', 1, $end));
	FrequencyLimit::unban('a', 1);
}
attempt('ban until a second ago', fn () => FrequencyLimit::ban('a', 2, new DateTime('@1899999999')));
attempt('ban until in eleven years', fn () => FrequencyLimit::ban('a', 2, new DateTime('@2246896000')));
attempt('ban until another object', fn () => FrequencyLimit::ban('a', 2, new ArrayObject()));
attempt('ban until a Reason', fn () => FrequencyLimit::ban('a', 2, Reason::Banned));
attempt('ban until null', fn () => FrequencyLimit::ban('a', 2, null));
attempt('ban of a limiter until null', fn () => (new Limiter('x', Limit::fixedWindow(1, 60)))->ban(2, null));
attempt('ban for a list', fn () => FrequencyLimit::ban('a', 2, [60]));
attempt('ban of no action', fn () => FrequencyLimit::ban('', 2, 60));
attempt('ban of no identity', fn () => FrequencyLimit::ban('a', '', 60));
attempt('ban of null', fn () => FrequencyLimit::ban('a', null, 60));
attempt('unban of no action', fn () => FrequencyLimit::unban('', 2));
attempt('unban of a long identity', fn () => FrequencyLimit::unban('a', str_repeat('x', 256)));
attempt('peek as a string', fn () => FrequencyLimit::isActionAllowed(1, 'a', 60, 1, []));
var_dump(FrequencyLimit::doHandle('a', 2, 60, 1));

echo "\n";
$limit = Limit::fixedWindow(1, 60);
attempt('a float', fn () => $limit->ban(0.0009));
attempt('a string of digits', fn () => $limit->ban('60'));
attempt('a Reason', fn () => $limit->ban(Reason::Banned));
attempt('no end', fn () => $limit->ban(null));
attempt('ten years', fn () => $limit->ban(new DateTime('@2215360000')));
attempt('longer', fn () => $limit->ban(new DateTime('@2215360001')));
attempt('a past moment', fn () => $limit->ban(new DateTime('@1')));
attempt('forget without a list', fn () => $limit->ban(60, 600));
attempt('forget with a Period', fn () => $limit->ban(Period::Day, forget: 600));
attempt('no time', fn () => $limit->ban([], 60));
attempt('16 times', fn () => $limit->ban(range(1, 16), 60));
attempt('17 times', fn () => $limit->ban(range(1, 17), 60));
attempt('falling', fn () => $limit->ban([60, 600, 599.5], 6000));
attempt('equal', fn () => $limit->ban([60, 60, 60], 60));
attempt('keys', fn () => $limit->ban(['first' => 1, 'second' => 2], 60));
attempt('too short', fn () => $limit->ban([0.0001, 1], 60));
attempt('too long', fn () => $limit->ban([1, 315_360_001], 315_360_000));
attempt('a string', fn () => $limit->ban([60, '600'], 6000));
attempt('null', fn () => $limit->ban([null], 6000));
attempt('forget less than the last', fn () => $limit->ban([60, 600], 599));
attempt('forget 0', fn () => $limit->ban([0.001], 0));
attempt('forget too long', fn () => $limit->ban([60], 315_360_001));
attempt('no forget', fn () => $limit->ban([60]));
attempt('forget null', fn () => $limit->ban([60], null));
attempt('forget a word', fn () => $limit->ban([60], 'x'));
attempt('forget by its name', fn () => $limit->ban([60, 600, 3600, 86400], forget: 604800));
attempt('of a concurrent limit', fn () => Limit::concurrent(1, 60)->ban([60], 60));
attempt('replaced by none of them', fn () => new Limiter('x', [$limit->ban([60], 60)->ban(5), $limit->ban(5)->ban([60], 60)->ban(Period::Day)]));
?>
--EXPECT--
ban for 0: 非法参数: $end must be between 0.001 and 315360000 seconds, 0 given; a number is a duration, a moment is a DateTimeInterface
ban for -1: 非法参数: $end must be between 0.001 and 315360000 seconds, -1 given; a number is a duration, a moment is a DateTimeInterface
ban for 0.0009: 非法参数: $end must be between 0.001 and 315360000 seconds, 0.0009 given; a number is a duration, a moment is a DateTimeInterface
ban for 315360001: 非法参数: $end must be between 0.001 and 315360000 seconds, 315360001 given; a number is a duration, a moment is a DateTimeInterface
ban for 1900000060: 非法参数: $end must be between 0.001 and 315360000 seconds, 1900000060 given; a number is a duration, a moment is a DateTimeInterface
ban for NAN: 非法参数: $end must be between 0.001 and 315360000 seconds, NAN given; a number is a duration, a moment is a DateTimeInterface
ban for 0.001: accepted
ban for 315360000: accepted
ban until a second ago: 非法参数: $end must be between now (1900000000.000000) and 315360000 seconds later, 1899999999.000000 given
ban until in eleven years: 非法参数: $end must be between now (1900000000.000000) and 315360000 seconds later, 2246896000.000000 given
ban until another object: TypeError FrequencyLimit::ban(): Argument #3 ($end) must be of type FrequencyLimit\Period|DateTimeInterface|int|float, ArrayObject given
ban until a Reason: TypeError FrequencyLimit::ban(): Argument #3 ($end) must be of type FrequencyLimit\Period|DateTimeInterface|int|float, FrequencyLimit\Reason given
ban until null: TypeError FrequencyLimit::ban(): Argument #3 ($end) must be of type FrequencyLimit\Period|DateTimeInterface|int|float, null given
ban of a limiter until null: TypeError FrequencyLimit\Limiter::ban(): Argument #2 ($end) must be of type FrequencyLimit\Period|DateTimeInterface|int|float, null given
ban for a list: TypeError FrequencyLimit::ban(): Argument #3 ($end) must be of type FrequencyLimit\Period|DateTimeInterface|int|float, array given
ban of no action: 非法参数: $action must be between 1 and 255 bytes long, 0 given
ban of no identity: 非法参数: $id must be between 1 and 255 bytes long, 0 given
ban of null: TypeError FrequencyLimit::ban(): Argument #2 ($id) must be of type string|int, null given
unban of no action: 非法参数: $action must be between 1 and 255 bytes long, 0 given
unban of a long identity: 非法参数: $id must be between 1 and 255 bytes long, 256 given
peek as a string: TypeError FrequencyLimit::isActionAllowed(): Argument #5 ($peek) must be of type bool, array given
bool(true)

a float: 非法参数: $end must be between 0.001 and 315360000 seconds, 0.0009 given; a number is a duration, a moment is a DateTimeInterface
a string of digits: accepted
a Reason: TypeError FrequencyLimit\Limit::ban(): Argument #1 ($end) must be of type FrequencyLimit\Period|DateTimeInterface|array|int|float, FrequencyLimit\Reason given
no end: TypeError FrequencyLimit\Limit::ban(): Argument #1 ($end) must be of type FrequencyLimit\Period|DateTimeInterface|array|int|float, null given
ten years: accepted
longer: 非法参数: $end must be at most 2215360000, ten years from now, 2215360001 given
a past moment: accepted
forget without a list: 非法参数: $forget must be left out without a list of times, 600 given
forget with a Period: 非法参数: $forget must be left out without a list of times, 600 given
no time: 非法参数: $end must have 1 to 16 times, 0 given
16 times: accepted
17 times: 非法参数: $end must have 1 to 16 times, 17 given
falling: 非法参数: $end (position 2) must be at least the time before it, 600, 599.5 given
equal: accepted
keys: accepted
too short: 非法参数: $end (position 0) must be between 0.001 and 315360000 seconds, 0.0001 given
too long: 非法参数: $end (position 1) must be between 0.001 and 315360000 seconds, 315360001 given
a string: 非法参数: $end (position 1) must be an int or a float, string given
null: 非法参数: $end (position 0) must be an int or a float, null given
forget less than the last: 非法参数: $forget must be at least the longest time in $end, 600, 599 given
forget 0: 非法参数: $forget must be between 0.001 and 315360000 seconds, 0 given
forget too long: 非法参数: $forget must be between 0.001 and 315360000 seconds, 315360001 given
no forget: 非法参数: $forget must be given with a list of times, null given
forget null: 非法参数: $forget must be given with a list of times, null given
forget a word: TypeError FrequencyLimit\Limit::ban(): Argument #2 ($forget) must be of type int|float|null, string given
forget by its name: accepted
of a concurrent limit: 非法参数: $end must not be set on a concurrent limit, which has no ban: array given
replaced by none of them: accepted
