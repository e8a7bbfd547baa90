--TEST--
A place that the fast path took ends in every way, and the other way round; also on a store "shm:" of its own
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{Clock, Limit, Limiter, LimiterInterface};

$free = static fn (Limiter $limiter): int => ($r = $limiter->peek('x'))->accepted ? $r->remaining + 1 : 0;
/* A listener: then each call takes the general way. */
$listen = static fn (bool $on) => FrequencyLimit\Monitor::listen($on ? static function () {} : null);
$limiters = [
	'the general store' => new Limiter('general', Limit::concurrent(3, 60)),
	'a store of its own' => new Limiter('own', Limit::concurrent(3, 60), 'shm:'),
];
$ends = [
	'release()' => static fn (object $permit) => $permit->release(),
	'settle()' => static fn (object $permit) => $permit->settle(1) !== null,
	'cancel()' => static fn (object $permit) => $permit->cancel(),
	'renew() and release()' => static fn (object $permit) => $permit->renew(600) && $permit->release(),
];
function all_ends(Limiter $limiter, string $which): void
{
	global $ends, $listen, $free;
	/* An identity without an entry, without a place, and with another one's. */
	foreach ([0, 0, 1] as $others) {
		$other = $others ? $limiter->acquire('x') : null;
		foreach ($ends as $end => $f) {
			foreach ([[false, false], [false, true], [true, false]] as [$before, $after]) {
				$listen($before);
				$permit = $limiter->acquire('x', 2);
				same(1 - $others, $free($limiter), "$which, $end: taken");
				same($others === 0, $limiter->acquire('x')->release(), "$which, $end: the last place");
				$listen($after);
				same(true, $f($permit), "$which, $end");
				same([3 - $others, false], [$free($limiter), $permit->release()], "$which, $end: a second end");
			}
			$listen(false);
			$permit = $limiter->acquire('x', 2);
			unset($permit);
			same(3 - $others, $free($limiter), "$which: the end of the object");
		}
		unset($other);
	}
}
foreach ($limiters as $which => $limiter) {
	all_ends($limiter, $which);
}
/* A store of its own does not depend on the general one, which is away. */
ini_set('ratelimit.store', 'unix://' . __DIR__ . '/none');
all_ends($limiters['a store of its own'], 'Redis elsewhere');
$permit = $limiters['a store of its own']->acquire('x');
ini_restore('ratelimit.store');
same(true, $permit->release(), 'on the same store under other settings');
/* A deploy, a reset, and the end of the seconds, in between. */
$permit = $limiters['the general store']->acquire('x');
$longer = new Limiter('general', Limit::concurrent(2, 3600));
$other = $longer->acquire('x');
same([0, true, 1], [$free($longer), $permit->release(), $free($longer)], 'a limit with other seconds');
$limiters['the general store']->reset('x');
same([false, 2], [$other->release(), $free($longer)], 'a reset');
Clock::freeze();
$permit = $longer->acquire('x');
Clock::advance(3600);
same([2, false, false], [$free($longer), $permit->renew(), $permit->release()], 'the seconds are over');
done();
?>
--EXPECT--
done
