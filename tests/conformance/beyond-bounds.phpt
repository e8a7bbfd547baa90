--TEST--
A number beyond its bounds throws an error with argument, value and bound, and changes nothing
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
date.timezone=UTC
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{Clock, InvalidArgument, Limit, Limiter, Period};

Clock::freeze(1_900_000_000);
const BAD_NUMBERS = [0, -1, 1_000_000_000_001, 1 << 62, PHP_INT_MAX, PHP_INT_MIN];
const BAD_SECONDS = [0, -1, 0.0, -0.001, 0.0004, 315_360_001, 315_360_000.001, 1e18, PHP_INT_MAX, PHP_INT_MIN, INF, -INF, NAN];

function refused(string $argument, mixed $value, callable $call): void
{
	try {
		$call();
		failed("$argument = " . var_export($value, true) . ' is taken');
	} catch (InvalidArgument $e) {
		ok(str_starts_with($e->getMessage(), '非法参数') && str_contains($e->getMessage(), $argument)
			&& preg_match('/ (between \S.* and|within) \d.*, ' . (is_int($value) ? "$value(\.0+)?" : '\S+') . ' given/', $e->getMessage()) === 1, "$argument = " . var_export($value, true) . ": {$e->getMessage()}");
	}
}

foreach (['fixedWindow', 'slidingLog', 'slidingWindow', 'tokenBucket'] as $algorithm) {
	foreach (BAD_NUMBERS as $bad) {
		refused($algorithm === 'tokenBucket' ? '$rate' : '$limit', $bad, fn () => Limit::$algorithm($bad, 60));
	}
	foreach (BAD_SECONDS as $bad) {
		refused('$seconds', $bad, fn () => Limit::$algorithm(5, $bad));
	}
}
refused('$limit', 10_001, fn () => Limit::slidingLog(10_001, 60));
foreach (BAD_NUMBERS as $bad) {
	refused('$limit', $bad, fn () => Limit::calendar($bad, Period::Day));
	refused('$burst', $bad, fn () => Limit::tokenBucket(5, 60, $bad));
}
/* Longer than ten years to fill, although rate, period and burst are each within their bounds. */
refused('$burst', 2, fn () => Limit::tokenBucket(1, 315_360_000, 2));
refused('$burst', 16_777_215, fn () => Limit::tokenBucket(1, 19, 16_777_215));
foreach (BAD_SECONDS as $bad) {
	refused('$end', $bad, fn () => Limit::fixedWindow(1, 1)->ban($bad));
}

$limiter = new Limiter('l', [Limit::fixedWindow(5, 60)]);
$bookings = new Limiter('b', [Limit::slidingLog(5, 60)]);
$limiter->consume('x', 3);
foreach (BAD_NUMBERS as $bad) {
	/* A peek may have a cost of 0: it asks for the state. */
	foreach ($bad === 0 ? ['consume', 'credit'] : ['consume', 'peek', 'credit'] as $call) {
		refused('$cost', $bad, fn () => $limiter->$call('x', $bad));
	}
	refused('$cost', $bad, fn () => $limiter->consumeMany(['x', 'y'], $bad));
	refused('$cost', $bad, fn () => $bookings->reserve('x', 1_900_000_000, $bad));
	refused('$cost', $bad, fn () => $bookings->cancel('x', 1_900_000_000, $bad));
}
foreach ([-1, 0, 1_899_999_999, 1_900_000_000 + 315_360_001, 1e18, PHP_INT_MAX, PHP_INT_MIN, NAN, INF, -INF, new DateTimeImmutable('@1'), new DateTimeImmutable('@99999999999')] as $bad) {
	refused('$at', $bad, fn () => $bookings->reserve('x', $bad));
}
foreach ([-1, 315_360_001, 1e18, PHP_INT_MAX, PHP_INT_MIN, NAN, INF, -INF, new DateTimeImmutable('@99999999999')] as $bad) {
	refused('$end', $bad, fn () => $limiter->ban('x', $bad));
}
refused('$limits', [], fn () => new Limiter('l', []));
refused('$limits', 9, fn () => new Limiter('l', array_fill(0, 9, Limit::fixedWindow(1, 1))));
same(2, $limiter->peek('x')->remaining + 1, 'nothing has changed');
same(true, $limiter->consume('x', 2)->accepted, 'no ban has begun');
same(false, $bookings->reset('x'), 'nothing was booked');
done();
--EXPECT--
done
