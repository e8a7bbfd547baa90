--TEST--
history() has a row for each minute of the last hour; a quiet minute is part of the row before
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{Clock, Limit, Limiter};

Clock::freeze();
$limiter = new Limiter('api', Limit::fixedWindow(2, 1)->ban(60));
same(1, count(FrequencyLimit\Monitor::history()), 'at first');
for ($minute = 0; $minute < 70; $minute++) {
	Clock::advance(60);
	for ($i = 0; $i <= 3; $i++) {
		$limiter->allow($minute);
	}
}
Clock::advance(180);
$limiter->allow('x');
Clock::advance(10);
$rows = FrequencyLimit\Monitor::history();
$last = array_pop($rows);
same([1, 0, 0, 0, 0], array_slice(array_values($last), 2), 'the running minute');
between(9.9, $last['seconds'], 70, 'its length');
$quiet = array_pop($rows);
same([4, 2, 1, 0, 0], array_slice(array_values($quiet), 2), 'the last busy minute');
between(179, $quiet['seconds'], 181, 'with the quiet ones');
between(55, count($rows), 58, 'minutes');
foreach ($rows as $row) {
	same([4, 2, 1, 0, 0], array_slice(array_values($row), 2), 'a minute');
	between(59.9, $row['seconds'], 60.1, 'its length');
}
same(['time', 'seconds', 'decisions', 'refused', 'banned', 'fallback', 'errors'], array_keys($last), 'the keys');
between(3599, end($rows)['time'] - $rows[0]['time'] + 60 + 250, 3900, 'an hour');
done();
?>
--EXPECT--
done
