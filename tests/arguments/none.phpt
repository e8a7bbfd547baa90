--TEST--
Limit::none() admits every call by every method, asks no store, and changes nothing beside other limits
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{Clock, InvalidArgument, Limit, Limiter, LimiterInterface, Period, Reason};

Clock::freeze(1_900_000_000);
$before = FrequencyLimit\Monitor::stats()['decisions'];
foreach ([
	'alone' => Limit::none(),
	'in an array' => ['free' => Limit::none(), Limit::none()],
	'with a ban and a lease' => Limit::none()->ban(60)->ban(Period::Day)->leased()->named('free'),
] as $what => $limits) {
	foreach ([null, 'unix:///nowhere/redis.sock'] as $store) {
		$limiter = new Limiter('none', $limits, $store);
		ok($limiter instanceof LimiterInterface, "$what: the interface");
		$max = $limiter->peek('u')->limit;
		for ($i = 0; $i < 3; $i++) {
			$r = $limiter->consume('u', 1000, 5, 1);
			same([true, Reason::Accepted, $max, 0.0, 0.0, 0.0, 1000, 0.0, 'shm'], [$r->accepted, $r->reason, $r->remaining, $r->retryAfter, $r->resetAfter, $r->nextAfter,
				$r->granted, $r->wait, $r->store], "$what: consume()");
		}
		same([$what === 'alone' ? null : 'free', [], [], 'now', 200], [$r->name, $r->headers(), $r->headers(legacy: true), $r->retryText(), $r->status()], "$what: no headers");
		same([true, true, 0], [$limiter->allow('u', $max), $limiter->peek('u', 0)->accepted, $limiter->peek('u', 0)->granted], "$what: allow(), peek()");
		$many = $limiter->consumeMany(['a' => 1, 'b' => 'x'], 7);
		same([['a', 'b'], [7, 7]], [array_keys($many), array_column($many, 'granted')], "$what: consumeMany()");
		$permit = $limiter->acquire('u', 5, 60);
		same([true, true, true, true], [$permit->result->accepted, $permit->wait(), $permit->renew(), $permit->release()], "$what: acquire()");
		same(2, $limiter->acquire('u', 5)->settle(2)->granted, "$what: settle()");
		same(true, $limiter->acquire('u', 5)->cancel(), "$what: cancel a permit");
		$r = $limiter->reserve('u', 1_900_000_100);
		same([true, $max], [$r->accepted, $r->remaining], "$what: reserve()");
		$limiter->ban('u', 60);
		$limiter->credit('u');
		same([true, false, false, false], [$limiter->allow('u'), $limiter->unban('u'), $limiter->reset('u'), $limiter->cancel('u', 1_900_000_100)], "$what: nothing is kept");
		throws(InvalidArgument::class, ['$cost'], fn () => $limiter->consume('u', 0), "$what: a bad cost");
		throws(InvalidArgument::class, ['$id'], fn () => $limiter->consume(''), "$what: a bad identity");
		throws(InvalidArgument::class, ['$at'], fn () => $limiter->reserve('u', 1), "$what: a bad moment");
	}
}
same($before, FrequencyLimit\Monitor::stats()['decisions'], 'no store was asked');

/* Beside another limit, only that one counts. */
$limiter = new Limiter('some', [Limit::none(), 'minute' => Limit::fixedWindow(2, 60), Limit::none()->named('free')]);
same([[1, 'minute'], [0, 'minute']], array_map(fn ($r) => [$r->remaining, $r->name], [$limiter->consume('u'), $limiter->consume('u')]), 'the other limit');
same(['"minute";q=2;w=60', false], [$limiter->consume('u')->headers()['RateLimit-Policy'], $limiter->allow('u')], 'alone in the headers');
/* Its label beside another one: the permit keeps the identity, whatever becomes of the caller's string. */
$limiter = new Limiter('labels', ['a' => Limit::concurrent(1, 60)->by('user'), 'b' => Limit::none()->by('tenant')]);
$acquire = fn (int $i) => $limiter->acquire(['tenant' => "tenant $i", 'user' => 'user ' . str_repeat('z', 40 + $i)]);
foreach ([1, 2] as $i) {
	$permit = $acquire(1);
	$others = array_map(fn (int $n): string => str_repeat(chr(65 + $n % 26), 40 + $n % 20), range(1, 500));
	same([true, true], [$permit->result->accepted, $permit->release()], "round $i: the place comes back");
}
throws(InvalidArgument::class, ['$limits must be between 1 and 8'], fn () => new Limiter('x', array_fill(0, 9, Limit::none())), 'nine');
throws(InvalidArgument::class, ['$store'], fn () => new Limiter('x', Limit::none(), 'http://localhost'), 'a bad store');
throws(Error::class, ['constructed twice'], fn () => $limiter->__construct('x', Limit::none()), 'twice');
done();
?>
--EXPECT--
done
