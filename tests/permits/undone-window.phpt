--TEST--
A call that a later label refuses keeps a window that was there without a count
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{Clock, Limit, Limiter, Period};

Clock::freeze(1_780_000_000);
$limiter = new Limiter('windows', ['fixed' => Limit::fixedWindow(10, 3600)->by('tenant'), 'day' => Limit::calendar(10, Period::Day, 'UTC')->by('tenant'),
	'user' => Limit::fixedWindow(1, 86_400 * 7)->by('user')]);
$permit = $limiter->acquire(['tenant' => 1, 'user' => 1]);
/* Two days later the settling counts in new windows, without an acquire. */
Clock::advance(2 * 86_400);
$permit->settle(['fixed' => 3, 'day' => 3, 'user' => 1]);
$limiter->credit(['tenant' => 1, 'user' => 2], ['fixed' => 3, 'day' => 3, 'user' => 0]);
Clock::advance(600);
same('limited', $limiter->consume(['tenant' => 1, 'user' => 1])->reason->value, 'the user is refused');
foreach (['fixed' => 3000.0, 'day' => 86_400 - 1_780_000_600 % 86_400] as $window => $left) {
	$result = $limiter->peek(['tenant' => 1, 'user' => 3], [$window => 11] + ['fixed' => 0, 'day' => 0, 'user' => 0]);
	same([10, (float) $left], [$result->remaining, $result->resetAfter], "$window: no count, and its end");
}
done();
--EXPECT--
done
