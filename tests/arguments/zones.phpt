--TEST--
A calendar limit names its time zone in PHP's spelling, however often and in whichever order zones are given
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{InvalidArgument, Limit, Period};

$given = ['UTC', 'utc', 'europe/berlin', 'Europe/Berlin', 'EUROPE/BERLIN', 'asia/Kathmandu', 'America/North_Dakota/New_Salem', '+02:00', '+0200', 'CEST',
	'Pacific/Apia', 'Africa/Cairo', 'america/new_york', 'Asia/Tokyo'];
// The longest name; Debian 13 and later have it in a package of its own.
if (in_array('America/Argentina/ComodRivadavia', DateTimeZone::listIdentifiers(DateTimeZone::ALL_WITH_BC), true)) {
	$given[] = 'America/Argentina/ComodRivadavia';
}
for ($round = 0; $round < 3; $round++) {
	foreach ($given as $zone) {
		same((new DateTimeZone($zone))->getName(), Limit::calendar(5, Period::Day, $zone)->timezone, "$zone, round $round");
		same((new DateTimeZone($zone))->getName(), Limit::calendar(5, Period::Day, $zone)->timezone, "$zone again");
		foreach (["$zone\0", "$zone\0x", 'Mars/Olympus', str_repeat('x', 100), ''] as $wrong) {
			throws(InvalidArgument::class, ['$timezone'], fn () => Limit::calendar(5, Period::Day, $wrong), 'no zone: ' . json_encode($wrong));
		}
	}
	shuffle($given);
}
done();
?>
--EXPECT--
done
