--TEST--
The reference model gives the answers of examples that were computed by hand
--FILE--
<?php
require __DIR__ . '/../model/model.inc';
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\Polyfill\Core\{Arithmetic, Calendar};
use Model\{Limiter, Counters, Spec};
use function Model\ceil_div;

const S = 1_000_000;
$T = 1_900_000_000 * S;

/** Each step: [seconds after T, call, arguments, reason, remaining, retryAfter and resetAfter in seconds]. */
function scenario(string $what, array $limits, array $steps): void
{
	global $T;
	$limiter = new Limiter($limits);
	foreach ($steps as $i => [$at, $call, $arguments, $expected]) {
		$now = $T + (int) round($at * S);
		$v = $limiter->$call('x', ...[...$arguments, $now]);
		if ($v instanceof Model\Verdict) {
			$v = [$v->reason, $v->remaining, $v->retry === null ? null : $v->retry / S, $v->reset / S];
		}
		same(json_encode($expected), json_encode($v), "$what, step $i");
	}
}

/* Arithmetic: 128 bits from 64. (2^49 + 5) * (2^24 - 3) = 2^73 - 3 * 2^49 + 5 * 2^24 - 15. */
same(-1, ceil_div(-3, 2), 'ceil');
same([(1 << 24) - 3, 0], Arithmetic::mulDiv((1 << 49) + 5, (1 << 24) - 3, (1 << 49) + 5), 'exact division');
foreach ([[315_360_000_000_000, 16_777_215, 999_999_999_999], [7, 3, 5]] as [$a, $b, $d]) {
	[$q, $r] = Arithmetic::mulDiv($a, $b, $d);
	foreach ([1_000_003, 998_244_353, 2_147_483_647] as $p) {
		same((($a % $p) * ($b % $p)) % $p, (($q % $p) * ($d % $p) + $r) % $p, "$a * $b modulo $p");
	}
	ok($r < $d, 'a rest');
}

scenario('fixed window', [Spec::fixed(3, 10 * S)], [
	[0, 'consume', [1], ['accepted', 2, 0, 10]],
	[4, 'consume', [2], ['accepted', 0, 0, 6]],
	[4, 'consume', [1], ['limited', 0, 6, 6]],
	[9.999999, 'peek', [3], ['limited', 0, 0.000001, 0.000001]],
	[5, 'consume', [4], ['too_expensive', 0, null, 5]],
	[10, 'peek', [3], ['accepted', 0, 0, 10]],
	[12, 'consume', [1], ['accepted', 2, 0, 10]],
]);
scenario('sliding log', [Spec::log(3, 10 * S)], [
	[0, 'consume', [1], ['accepted', 2, 0, 10]],
	[4, 'consume', [1], ['accepted', 1, 0, 10]],
	[5, 'consume', [1], ['accepted', 0, 0, 10]],
	[6, 'consume', [1], ['limited', 0, 4, 9]],
	[6, 'consume', [2], ['limited', 0, 8, 9]],
	[9.999999, 'peek', [1], ['limited', 0, 0.000001, 5.000001]],
	[10, 'consume', [1], ['accepted', 0, 0, 10]],
	[14.5, 'peek', [1], ['accepted', 0, 0, 10]],
]);
/* 30 sub-windows of a second. */
scenario('sliding window', [Spec::window(3, 30 * S)], [
	[0, 'consume', [1], ['accepted', 2, 0, 31]],
	[0.999999, 'consume', [1], ['accepted', 1, 0, 30.000001]],
	[1, 'consume', [1], ['accepted', 0, 0, 31]],
	[2, 'consume', [1], ['limited', 0, 29, 30]],
	[30.999999, 'consume', [1], ['limited', 0, 0.000001, 1.000001]],
	[31, 'consume', [2], ['accepted', 0, 0, 31]],
	[32, 'consume', [1], ['accepted', 0, 0, 31]],
]);
/* A permit every 10/3 s: the bucket is full again at 10, 13 1/3 … */
scenario('token bucket', [Spec::bucket(3, 10 * S, 3)], [
	[0, 'consume', [3], ['accepted', 0, 0, 10]],
	[3.333333, 'consume', [1], ['limited', 0, 0.000001, 6.666667]],
	[3.333334, 'consume', [1], ['accepted', 0, 0, 10]],
	[6.666667, 'peek', [1], ['accepted', 0, 0, 10]],
	[6.666667, 'consume', [2], ['limited', 1, 3.333333, 6.666667]],
	[13.333333, 'peek', [1], ['accepted', 1, 0, 3.333334]],
	[13.333334, 'peek', [3], ['accepted', 0, 0, 10]],
]);
scenario('ban', [Spec::fixed(1, 10 * S)->with(ban: ['for', 60 * S]), Spec::log(5, 100 * S)], [
	[0, 'consume', [1], ['accepted', 0, 0, 10]],
	[1, 'consume', [1], ['banned', 0, 60, 60]],
	[2, 'consume', [1], ['banned', 0, 59, 59]],
	[60.999999, 'peek', [1], ['banned', 0, 0.000001, 0.000001]],
	[61, 'peek', [1], ['accepted', 0, 0, 10]],
]);
scenario('the longest wait of several', [Spec::fixed(2, 10 * S), Spec::fixed(2, 60 * S)], [
	[0, 'consume', [2], ['accepted', 0, 0, 10]],
	[1, 'consume', [1], ['limited', 0, 59, 59]],
]);
/* With 100 booked, nothing within a period of it on either side. */
scenario('booking', [Spec::log(1, 10 * S)], [
	[0, 'reserve', [$T + 100 * S, 1], ['accepted', 0, 0, 110]],
	[0, 'reserve', [$T + 90_000_001, 1], ['limited', 0, 110, 110]],
	[0, 'reserve', [$T + 90 * S, 1], ['accepted', 0, 0, 110]],
	[0, 'cancel', [$T + 100 * S, 1], true],
	[0, 'reserve', [$T + 99 * S, 1], ['limited', 0, 100, 100]],
]);
/* A window of 10 s that began under a limit of 10 s lasts 10 s. */
$limiter = new Limiter([Spec::fixed(2, 10 * S)]);
$limiter->consume('x', 1, $T);
$limiter->limits = [Spec::fixed(2, 30 * S)];
same(10 * S, $limiter->consume('x', 1, $T)->reset, 'a changed period applies to the next window');
same(30 * S, $limiter->consume('x', 1, $T + 10 * S)->reset, 'the next window');

/* Berlin, 2027: 28 March has 23 hours, 31 October 25 and two hours from 2 to 3. */
$moment = fn (string $text) => strtotime($text) * S;
$end = fn (string $zone, string $unit, string $text) => Calendar::windows($zone, Calendar::PERIODS[$unit], $moment($text))[1];
same($moment('2027-03-28T22:00Z'), $end('Europe/Berlin', 'day', '2027-03-27T23:00Z'), 'a day of 23 hours');
same($moment('2027-10-31T23:00Z'), $end('Europe/Berlin', 'day', '2027-10-30T22:00Z'), 'a day of 25 hours');
same($moment('2027-10-31T01:00Z'), $end('Europe/Berlin', 'hour', '2027-10-31T00:30Z'), 'the hour that comes twice');
same($moment('2027-10-31T02:00Z'), $end('Europe/Berlin', 'hour', '2027-10-31T01:30Z'), 'its second time');
same($moment('2027-11-30T23:00Z'), $end('Europe/Berlin', 'month', '2027-10-31T23:00Z'), 'a month');
same($moment('2027-11-07T18:15Z'), $end('Asia/Kathmandu', 'week', '2027-11-01T00:00Z'), 'a week from Monday');
same($moment('2011-12-30T10:00Z'), $end('Pacific/Apia', 'day', '2011-12-30T09:59:59Z'), 'the 30th that never was');
same($moment('2011-12-31T10:00Z'), $end('Pacific/Apia', 'day', '2011-12-30T10:00Z'), 'the 31st after it');
same($moment('2027-04-03T15:30Z'), $end('Australia/Lord_Howe', 'hour', '2027-04-03T15:00Z'), 'half an hour that comes twice');

/* The counter: the article's upload, 2 in 10 s, then locked for 30 s. */
$counter = new Counters;
$answers = [];
foreach ([0, 1, 2, 9, 11, 31.999, 32] as $at) {
	$answers[] = $counter->check('x', 10, 2, ['type' => 1, 'ttl' => '30'], $T + (int) ($at * S))->reason;
}
same('accepted accepted banned banned banned banned accepted', implode(' ', $answers), 'the counter');
done();
--EXPECT--
done
