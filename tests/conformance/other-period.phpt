--TEST--
A running fixed window has its own end and the number of each call, whatever period the call has
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'stopped redis'); ?>
--FILE--
<?php
require __DIR__ . '/scenario.inc';

use FrequencyLimit\{Limit, Limiter};

/* One window, of which the hits have the period and the checks a number, as in Laravel's RateLimiter. */
const MOST = 16_777_215;

function window(int $number, int $seconds): Limiter
{
	return new Limiter('window', Limit::fixedWindow($number, $seconds));
}

$time->start(START);
window(MOST, 60)->consume('x', 3);

$r = window(3, 1)->peek('x');
same([false, 3, 0, 60.0, 60.0], [$r->accepted, $r->limit, $r->remaining, $r->retryAfter, $r->resetAfter], 'the number of the check, the end of the window');
$r = window(5, 1)->peek('x');
same([true, 5, 1, 60.0], [$r->accepted, $r->limit, $r->remaining, $r->resetAfter], 'another number');
$r = window(MOST, 1)->peek('x', 0);
same([MOST - 3, 60.0], [$r->remaining, $r->resetAfter], 'the state as it is');

$time->advance(30_000_000);
window(MOST, 1)->credit('x');
$r = window(3, 1)->peek('x');
same([true, 0, 30.0], [$r->accepted, $r->remaining, $r->resetAfter], 'a credit with another period');
window(MOST, 1)->credit('x', MOST);
same([MOST, 30.0], [window(MOST, 1)->peek('x', 0)->remaining, window(MOST, 1)->peek('x', 0)->resetAfter], 'a count of 0 keeps its window');
same(30.0, window(10, 5)->consume('x')->resetAfter, 'an admitted call with another period keeps the end');

$permit = window(10, 7)->acquire('x');
same(true, $permit->cancel(), 'a permit of another period is given back');
same([9, 30.0], [window(10, 1)->peek('x', 0)->remaining, window(10, 1)->peek('x', 0)->resetAfter], 'and leaves the rest');

$time->advance(29_000_000);
same(1.0, window(1, 60)->consume('x')->retryAfter, 'a second before the end');
$time->advance(1_000_000);
same([MOST, 0.0], [window(MOST, 1)->peek('x', 0)->remaining, window(MOST, 1)->peek('x', 0)->resetAfter], 'the window is over at its end');
same(1, window(1, 60)->consume('x')->granted, 'and the next one begins');
done();
?>
--EXPECT--
done
