--TEST--
Clock::travelTo() moves calendars and durations together; back in time, durations stand still
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
date.timezone=UTC
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{Clock, InvalidArgument, Limit, Limiter, Period};

$window = new Limiter('window', Limit::fixedWindow(1, 60));
$day = new Limiter('day', Limit::calendar(1, Period::Day));
$noon = 1_900_000_000 - 1_900_000_000 % 86400 + 43200;

Clock::travelTo($noon);
same([true, true, false, false], [$window->allow(1), $day->allow(1), $window->allow(1), $day->allow(1)], 'at noon');
Clock::travelTo($noon + 59.999);
same([false, false, 0.001], [$window->allow(1), $day->allow(1), $window->consume(1)->retryAfter], '59.999 seconds later');
Clock::travelTo((new DateTimeImmutable("@$noon"))->modify('+60 seconds'));
same([true, false], [$window->allow(1), $day->allow(1)], 'a minute later, by a DateTimeInterface');
Clock::travelTo($noon + 86400);
same([true, true], [$window->allow(1), $day->allow(1)], 'a day later');

/* Back by a day: the calendar goes back, the window of a minute keeps its time. */
Clock::travelTo($noon);
$r = $window->consume(1);
same([false, 60.0], [$r->accepted, $r->retryAfter], 'the window stands still');
Clock::advance(60);
same(true, $window->allow(1), 'and ends after its minute');
same(true, (new Limiter('new', Limit::calendar(1, Period::Day)))->allow(1), 'a calendar of that day');

/* From the present, and to the past of another decade. */
Clock::unfreeze();
Clock::travelTo(0);
same(1.0, (new Limiter('epoch', Limit::calendar(1, Period::Minute)))->consume(1)->resetAfter / 60, 'the year 1970');
Clock::travelTo(5);
same(55.0, (new Limiter('epoch', Limit::calendar(1, Period::Minute)))->consume(1)->resetAfter, 'and on');

foreach ([-1, NAN, INF, 253402300800] as $bad) {
	throws(InvalidArgument::class, ['非法参数', '$at'], fn () => Clock::travelTo($bad), 'travelTo(' . var_export($bad, true) . ')');
}
throws(InvalidArgument::class, ['$at', 'seventeen years', 'Clock::freeze()'], fn () => Clock::travelTo(600_000_000), 'too far at once');
same(55.0, (new Limiter('epoch', Limit::calendar(1, Period::Minute)))->consume(1)->resetAfter, 'which moved nothing');
throws(TypeError::class, ['DateTimeInterface|int|float'], fn () => Clock::travelTo('tomorrow'), 'a string');
ini_set('ratelimit.testing', '0');
throws(FrequencyLimit\StoreException::class, ['ratelimit.testing is off'], fn () => Clock::travelTo(0), 'without ratelimit.testing');
done();
?>
--EXPECT--
done
