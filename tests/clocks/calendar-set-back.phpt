--TEST--
The wall clock set back over a calendar boundary admits nothing twice, and retryAfter holds to the microsecond
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/simclock.inc';
needs_tool('simclock.so');
needs_stopped_redis();
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/simclock.inc';
const DAY = 86_400_000_000;
const MIDNIGHT = 1_900_022_400_000_000; // Monday, 18 March 2030, 00:00 UTC

/* The embedded store, and Redis: by its own clock. */
function scenarios(callable $scenario): void
{
	foreach (['shm', 'redis'] as $store) {
		$clock = new SimClock(MIDNIGHT + 5_000_000);
		$redis = $store === 'redis' ? $clock->redis() : null;
		$php = new SimPhp($clock, ['date.timezone' => 'UTC', 'ratelimit.on_failure' => 'throw']
			+ ($redis ? ['ratelimit.store' => $redis->dsn('?deny_cache=0')] : []));
		$php('
			use FrequencyLimit\{Limit, Limiter, Period};
			$GLOBALS["day"] = new Limiter("day", Limit::calendar(10, Period::Day));
			$GLOBALS["booked"] = new Limiter("booked", Limit::calendar(10, Period::Day));');
		$consume = fn (int $cost = 1, string $limiter = 'day') => $php('$r = $GLOBALS["' . $limiter . '"]->consume(1, ' . $cost . ');
			return [$r->accepted, $r->remaining, $r->retryAfter, $r->resetAfter];');
		$scenario($store, $clock, $consume, $php);
		$php->end();
		$redis?->stop();
	}
}

/* Used up: it stays so until the window ends that was used up. */
scenarios(function (string $store, SimClock $clock, callable $consume): void {
	same([true, 0, 0.0, 86_395.0], $consume(10), "$store: ten of ten at 00:00:05");
	$clock->step_wall(-15_000_000);
	same([false, 0, 86_410.0, 86_410.0], $consume(), "$store: at 23:59:50 of the day before");
	$clock->advance(9_999_999);
	same([false, 0, 86_400.000001, 86_400.000001], $consume(), "$store: a microsecond before midnight");
	$clock->advance(1);
	same([false, 0, 86_400.0, 86_400.0], $consume(), "$store: at midnight, as was told");
	$clock->advance(DAY - 1);
	same([false, 0, 0.000001, 0.000001], $consume(), "$store: a microsecond before the next midnight");
	$clock->advance(1);
	same([true, 0, 0.0, 86_400.0], $consume(10), "$store: at the next midnight");
});

/* Nearly used up: what is left is all that is admitted until then. */
scenarios(function (string $store, SimClock $clock, callable $consume): void {
	same([true, 1, 0.0, 86_395.0], $consume(9), "$store: nine of ten at 00:00:05");
	$clock->step_wall(-15_000_000);
	same([true, 0, 0.0, 86_410.0], $consume(), "$store: the tenth at 23:59:50 of the day before");
	$clock->advance(10_000_000);
	$admitted = 0;
	for ($hour = 0; $hour < 24; $hour++) {
		$admitted += (int) $consume()[0];
		$clock->advance(3_600_000_000);
	}
	same(0, $admitted, "$store: none on the day itself");
	same([true, 0, 0.0, 86_400.0], $consume(10), "$store: at the next midnight");
});

/* A window that was booked ahead is of its own day only; the one that has run runs on. */
scenarios(function (string $store, SimClock $clock, callable $consume, SimPhp $php): void {
	same(true, $php('return $GLOBALS["booked"]->reserve(1, time() + 2 * 86_400, 7)->accepted;'), "$store: seven are booked");
	same([true, 1, 0.0, 86_395.0], $consume(9, 'booked'), "$store: nine of ten today");
	$clock->step_wall(-15_000_000);
	same([false, 1, 86_410.0, 86_410.0], $consume(2, 'booked'), "$store: set back, two more");
	same([true, 0, 0.0, 86_410.0], $consume(1, 'booked'), "$store: set back, one more");
	$clock->advance(10_000_000 + 2 * DAY);
	same([false, 3, 86_400.0, 86_400.0], $consume(4, 'booked'), "$store: on the booked day, four more");
	same([true, 0, 0.0, 86_400.0], $consume(3, 'booked'), "$store: on the booked day, three more");
});

/* A clock that was beyond the end of the window, by less than a minute: the window runs on. */
scenarios(function (string $store, SimClock $clock, callable $consume, SimPhp $php): void {
	$clock->advance(DAY - 15_000_000);
	same([true, 0, 0.0, 10.0], $consume(10), "$store: ten of ten at 23:59:50");
	$clock->step_wall(69_000_000);
	same(true, $php('return $GLOBALS["day"]->peek(1, 10)->accepted;'), "$store: at 00:00:59 of the next day");
	$clock->step_wall(-69_000_000);
	same([false, 0, 10.0, 10.0], $consume(), "$store: at 23:59:50 again");
	same(true, $php('return $GLOBALS["booked"]->reserve(1, time(), 10)->accepted && $GLOBALS["booked"]->cancel(1, time(), 10);'), "$store: a booking");
	same(true, $php('return $GLOBALS["booked"]->reserve(1, time(), 10)->accepted;'), "$store: a state with bookings");
	$clock->step_wall(69_000_000);
	same(true, $php('return $GLOBALS["booked"]->peek(1, 10)->accepted;'), "$store: at 00:00:59 of the next day");
	$clock->step_wall(-69_000_000);
	same(false, $consume(1, 'booked')[0], "$store: the bookings at 23:59:50 again");
});

/* A clock that was ahead by more than a whole window locks nobody out: its window is forgotten. */
scenarios(function (string $store, SimClock $clock, callable $consume): void {
	same([true, 0, 0.0, 86_395.0], $consume(10), "$store: ten of ten at 00:00:05");
	$clock->step_wall(-DAY);
	same([false, 0, 2 * 86_400.0 - 5, 2 * 86_400.0 - 5], $consume(), "$store: a day before");
	$clock->step_wall(-5_000_001);
	same([true, 9, 0.0, 0.000001], $consume(), "$store: in the last microsecond of the day before that");
	$clock->advance(1);
	same([true, 0, 0.0, 86_400.0], $consume(10), "$store: at midnight");
});
done();
?>
--EXPECT--
done
