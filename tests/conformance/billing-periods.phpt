--TEST--
Limit::every(): period n begins at the anchor plus n intervals, in leap years and where the clocks change
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
date.timezone=UTC
--FILE--
<?php
use FrequencyLimit\{Clock, Limit, Limiter, Period};

/** Prints the ends of $n windows, from the one that contains $from on. */
function ends(string $what, Limit $limit, string $from, string $zone, int $n): void
{
	static $limiters = 0;
	$now = (new DateTimeImmutable($from, new DateTimeZone($zone)))->getTimestamp();
	Clock::unfreeze();
	Clock::freeze($now);
	$limiter = new Limiter('ends' . $limiters++, $limit);
	echo "$what:\n";
	while ($n-- > 0) {
		$left = $limiter->consume(1)->resetAfter;
		Clock::advance($left);
		$now += (int) $left;
		echo '  ', (new DateTimeImmutable("@$now"))->setTimezone(new DateTimeZone($zone))->format('D Y-m-d H:i:s T'), "\n";
	}
}

$berlin = new DateTimeZone('Europe/Berlin');
$every = fn (string $interval, string $anchor, ?DateTimeZone $zone = null, ?string $other = null) =>
	Limit::every(1, new DateInterval($interval), new DateTimeImmutable($anchor, $zone), $other);

ends('months from 31 January, leap year', $every('P1M', '2024-01-31', $berlin), '2024-02-01', 'Europe/Berlin', 4);
ends('months from 31 January, common year', $every('P1M', '2024-01-31', $berlin), '2025-02-01', 'Europe/Berlin', 3);
ends('an anchor in the future', $every('P1M', '2030-12-30 18:00'), '2026-02-01', 'UTC', 3);
ends('years from 29 February', $every('P1Y', '2024-02-29'), '2026-01-01', 'UTC', 4);
ends('quarters of an own start', $every('P3M', '2025-11-30'), '2025-12-01', 'UTC', 3);
ends('days at 02:30, which a day skips', $every('P1D', '2026-01-01 02:30', $berlin), '2026-03-28 12:00', 'Europe/Berlin', 3);
ends('days at 02:30, which a day has twice', $every('P1D', '2026-01-01 02:30', $berlin), '2026-10-24 12:00', 'Europe/Berlin', 3);
ends('hours are of 3,600 seconds', $every('PT36H', '2026-03-28', $berlin), '2026-03-28 12:00', 'Europe/Berlin', 2);
ends('fortnights, in a time zone of their own', $every('P2W', '2026-01-01T00:00:00Z', null, 'Asia/Kathmandu'), '2026-03-28', 'Asia/Kathmandu', 2);
ends('a day that a zone skipped as a whole', $every('P1D', '2011-12-01', new DateTimeZone('Pacific/Apia')), '2011-12-29 06:00', 'Pacific/Apia', 2);
ends('quarters', Limit::calendar(1, Period::Quarter, 'Asia/Shanghai'), '2026-11-15', 'Asia/Shanghai', 3);
ends('years', Limit::calendar(1, Period::Year, 'America/New_York'), '2026-11-15', 'America/New_York', 2);
ends('weeks from Sunday', Limit::calendar(1, Period::Week, 'UTC', weekStart: 7), '2026-11-15', 'UTC', 2);
ends('weeks from Wednesday', Limit::calendar(1, Period::Week, 'UTC', 3), '2026-11-15', 'UTC', 2);
ends('weeks from Monday', Limit::calendar(1, Period::Week, 'UTC'), '2026-11-15', 'UTC', 2);

echo "bans until the clock's next boundary\n";
foreach ([[Limit::fixedWindow(1, 1), Period::Quarter], [Limit::fixedWindow(1, 1), Period::Year], [Limit::fixedWindow(1, 1), Period::Week],
	[Limit::calendar(1, Period::Week, 'UTC', 7), Period::Week]] as $i => [$limit, $period]) {
	Clock::unfreeze();
	Clock::freeze(1794700800); // 2026-11-15
	$limiter = new Limiter("ban$i", $limit->ban($period));
	$limiter->consume(1);
	echo '  ', gmdate('D Y-m-d H:i:s', 1794700800 + (int) $limiter->consume(1)->resetAfter), "\n";
}

echo "two intervals of one limiter keep their counts apart\n";
Clock::unfreeze();
Clock::freeze(1794700800);
$limiter = new Limiter('two', ['day' => Limit::every(2, new DateInterval('P1D'), new DateTimeImmutable('2026-01-01')),
	'month' => Limit::every(3, new DateInterval('P1M'), new DateTimeImmutable('2026-01-01'))]);
foreach ([0, 0, 0, 86400, 86400] as $seconds) {
	Clock::advance($seconds);
	$result = $limiter->consume(1);
	echo '  ', $result->reason->value, ' by ', $result->name, ', ', $result->remaining, " left\n";
}
?>
--EXPECT--
months from 31 January, leap year:
  Thu 2024-02-29 00:00:00 CET
  Sun 2024-03-31 00:00:00 CET
  Tue 2024-04-30 00:00:00 CEST
  Fri 2024-05-31 00:00:00 CEST
months from 31 January, common year:
  Fri 2025-02-28 00:00:00 CET
  Mon 2025-03-31 00:00:00 CEST
  Wed 2025-04-30 00:00:00 CEST
an anchor in the future:
  Sat 2026-02-28 18:00:00 UTC
  Mon 2026-03-30 18:00:00 UTC
  Thu 2026-04-30 18:00:00 UTC
years from 29 February:
  Sat 2026-02-28 00:00:00 UTC
  Sun 2027-02-28 00:00:00 UTC
  Tue 2028-02-29 00:00:00 UTC
  Wed 2029-02-28 00:00:00 UTC
quarters of an own start:
  Sat 2026-02-28 00:00:00 UTC
  Sat 2026-05-30 00:00:00 UTC
  Sun 2026-08-30 00:00:00 UTC
days at 02:30, which a day skips:
  Sun 2026-03-29 03:00:00 CEST
  Mon 2026-03-30 02:30:00 CEST
  Tue 2026-03-31 02:30:00 CEST
days at 02:30, which a day has twice:
  Sun 2026-10-25 02:30:00 CEST
  Mon 2026-10-26 02:30:00 CET
  Tue 2026-10-27 02:30:00 CET
hours are of 3,600 seconds:
  Sun 2026-03-29 13:00:00 CEST
  Tue 2026-03-31 01:00:00 CEST
fortnights, in a time zone of their own:
  Thu 2026-04-09 05:45:00 +0545
  Thu 2026-04-23 05:45:00 +0545
a day that a zone skipped as a whole:
  Sat 2011-12-31 00:00:00 +14
  Sun 2012-01-01 00:00:00 +14
quarters:
  Fri 2027-01-01 00:00:00 CST
  Thu 2027-04-01 00:00:00 CST
  Thu 2027-07-01 00:00:00 CST
years:
  Fri 2027-01-01 00:00:00 EST
  Sat 2028-01-01 00:00:00 EST
weeks from Sunday:
  Sun 2026-11-22 00:00:00 UTC
  Sun 2026-11-29 00:00:00 UTC
weeks from Wednesday:
  Wed 2026-11-18 00:00:00 UTC
  Wed 2026-11-25 00:00:00 UTC
weeks from Monday:
  Mon 2026-11-16 00:00:00 UTC
  Mon 2026-11-23 00:00:00 UTC
bans until the clock's next boundary
  Fri 2027-01-01 00:00:00
  Fri 2027-01-01 00:00:00
  Mon 2026-11-16 00:00:00
  Sun 2026-11-22 00:00:00
two intervals of one limiter keep their counts apart
  accepted by day, 1 left
  accepted by day, 0 left
  limited by day, 0 left
  accepted by month, 0 left
  limited by month, 0 left
