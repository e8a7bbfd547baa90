--TEST--
cancel() gives back to the calendar window that contains its moment, and to no other one
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'stopped redis'); ?>
--FILE--
<?php
require __DIR__ . '/scenario.inc';

use FrequencyLimit\{Limit, Limiter, Period};

/* START is a second after a full minute. */
function moment(int $s): DateTimeImmutable
{
	return new DateTimeImmutable('@' . intdiv(START, 1_000_000) + $s);
}

/** Returns how many calls would pass. */
function left(Limiter $limiter): int
{
	return $limiter->peek('x', 0)->remaining;
}

$calendar = Limit::calendar(3, Period::Minute, 'UTC');
$log = Limit::slidingLog(9, 600);
foreach (['calendar' => [$calendar], 'calendar and log' => [$calendar, $log]] as $what => $limits) {
	$time->start(START);
	$limiter = limiter(...$limits);
	same(true, $limiter->consume('x')->accepted, "$what: a call of the first window");
	same(true, $limiter->reserve('x', moment(58))->accepted, "$what: a booking of the first window");
	$time->advance(60_000_000);
	same(3, exhaust($limiter, 'x')[1], "$what: the second window is full");
	foreach ([0 => 'a call', 58 => 'a booking', 30 => 'no call', -1 => 'the first second'] as $s => $of) {
		same(false, $limiter->cancel('x', moment($s)), "$what: nothing is cancelled at the moment of $of in the first window");
	}
	same(false, $limiter->consume('x')->accepted, "$what: the second window is still full");
}

$time->start(START);
$limiter = limiter($calendar);
same(true, $limiter->reserve('x', moment(119), 2)->accepted, 'a booking at the first moment of the third window');
$time->advance(60_000_000);
same(3, exhaust($limiter, 'x')[1], 'the second window is full');
same(false, $limiter->cancel('x', moment(58)), 'nothing is cancelled in the first window');
same(false, $limiter->cancel('x', moment(119), 3), 'the third window has two');
same(true, $limiter->cancel('x', moment(119)), 'the first moment of a window is of that window');
same(false, $limiter->cancel('x', moment(179)), 'the fourth window has none');
same(0, left($limiter), 'the second window is still full');
same(true, $limiter->cancel('x', moment(59)), 'the first moment of the window that runs');
same(1, left($limiter), 'which has room then');
$time->advance(59_000_000);
same(2, exhaust($limiter, 'x')[1], 'the third window has the booking that is left');
same(false, $limiter->cancel('x', moment(118)), 'nothing is cancelled a second before the window that runs');
same(0, left($limiter), 'which is still full');

$time->start(START);
$limiter = limiter($calendar);
$cancelled = $limiter->acquire('x');
$settled = $limiter->acquire('x', 2);
$time->advance(60_000_000);
same(3, exhaust($limiter, 'x')[1], 'the second window is full');
same(true, $cancelled->cancel(), 'a permit of the first window is cancelled');
same(true, $settled->settle(1) !== null, 'a permit of the first window is settled');
same(0, left($limiter), 'and the second window is still full');
done();
?>
--EXPECT--
done
