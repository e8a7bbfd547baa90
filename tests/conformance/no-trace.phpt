--TEST--
A refusal, a peek and a refused booking change no state of any algorithm
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'stopped redis'); ?>
--FILE--
<?php
/* bits() reads the segment's file. */
require __DIR__ . '/../include/php.inc';
$ini = ['ratelimit.shm_path' => temp_folder() . '/segment', 'ratelimit.shm_size' => '2M'];
require __DIR__ . '/scenario.inc';

use FrequencyLimit\{Limit, Limiter, Period};

/** Checks that $call changes nothing, and returns one of $reasons. */
function changes_nothing(string $what, callable $call, string ...$reasons): void
{
	$before = bits();
	$result = $call();
	ok(bits() === $before, "$what: a trace is left");
	if ($reasons) {
		ok(in_array($result->reason->value, $reasons, true), "$what: {$result->reason->value}");
	}
}

/* The check detects a real change. */
$before = bits();
limiter(Limit::fixedWindow(1, 60))->consume('x');
ok(bits() !== $before, 'an admitted call is seen');

foreach (ALGORITHMS as $algorithm) {
	$limiter = limiter(limit($algorithm, 10));
	changes_nothing("$algorithm, peek at nobody", fn () => $limiter->peek('x'), 'accepted');
	changes_nothing("$algorithm, peek at nobody, too expensive", fn () => $limiter->peek('x', 11), 'too_expensive');
	changes_nothing("$algorithm, too expensive for nobody", fn () => $limiter->consume('x', 11), 'too_expensive');
	$limiter->consume('x', 8);
	$time->advance(1_001_000);
	changes_nothing("$algorithm, peek", fn () => $limiter->peek('x', 2), 'accepted');
	changes_nothing("$algorithm, peek refused", fn () => $limiter->peek('x', 4), 'limited');
	changes_nothing("$algorithm, refused", fn () => $limiter->consume('x', 4), 'limited');
	changes_nothing("$algorithm, too expensive", fn () => $limiter->consume('x', 16_777_215), 'too_expensive');
	changes_nothing("$algorithm, refused for many", fn () => $limiter->consumeMany(['x', 'x'], 9)[1], 'limited');

	$banning = limiter(limit($algorithm, 2)->ban(30));
	$banning->consume('x', 2);
	changes_nothing("$algorithm, peek where a ban would begin", fn () => $banning->peek('x'), 'banned');
	$banning->consume('x');
	changes_nothing("$algorithm, in a ban", fn () => $banning->consume('x'), 'banned');
	changes_nothing("$algorithm, peek in a ban", fn () => $banning->peek('x'), 'banned');
	$time->advance(1_000_000);
	changes_nothing("$algorithm, later in a ban", fn () => $banning->consume('x'), 'banned');

	/* Refused by the last of several: the others have not counted either. */
	$several = limiter(...array_map(fn ($a) => limit($a, 100), ALGORITHMS), ...[limit($algorithm, 3)->named('last')]);
	$several->consume('x', 3);
	changes_nothing("$algorithm, last of several", fn () => $several->consume('x'), 'limited');
	same('last', $several->peek('x')->name, "$algorithm, last of several: who refused");
	/* A deploy while it is refused. */
	$changed = new Limiter('changed ' . $algorithm, limit($algorithm, 1));
	$changed->consume('x');
	$changed = new Limiter('changed ' . $algorithm, [limit($algorithm === 'slidingLog' ? 'fixedWindow' : 'slidingLog', 5), $algorithm === 'calendar'
		? Limit::calendar(1, Period::Hour, 'UTC') : Limit::$algorithm(1, 45)]);
	changes_nothing("$algorithm, after a change", fn () => $changed->consume('x'), 'limited');
}

$bookings = limiter(Limit::slidingLog(2, 60), Limit::calendar(3, Period::Hour, 'UTC'));
$at = intdiv(START, 1_000_000) + 3600;
$bookings->reserve('x', $at, 2);
changes_nothing('a refused booking', fn () => $bookings->reserve('x', $at + 59), 'limited');
changes_nothing('a booking that the second limit refuses', fn () => $bookings->reserve('x', $at + 60, 2), 'limited');
changes_nothing('a booking too expensive', fn () => $bookings->reserve('x', $at, 3), 'too_expensive');
$found = null;
changes_nothing('a booking that is not there', function () use ($bookings, $at, &$found) {
	$found = [$bookings->cancel('x', $at + 1), $bookings->cancel('x', $at, 3), $bookings->cancel('y', $at)];
});
same([false, false, false], $found, 'nothing to cancel');
changes_nothing('no ban to lift', function () use ($bookings) {
	$bookings->unban('x');
	$bookings->unban('nobody');
	$bookings->reset('nobody');
	$bookings->credit('nobody');
});
done();
?>
--EXPECT--
done
