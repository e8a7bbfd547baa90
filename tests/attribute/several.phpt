--TEST--
Several attributes of a function are one decision, and a Limiter of the action's name shares its count
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('embedded', 'redis'); ?>
--FILE--
<?php
/* Attributes that are decided together, their windows, and their counts in a Limiter. */
require __DIR__ . '/../include/stores.inc';

use FrequencyLimit\{AccessLimit, Limit, Limiter, LimitExceeded, Reason, Request};

final class Limited
{
	#[AccessLimit(seconds: 60, maxCount: 3, action: 'several')]
	#[AccessLimit(seconds: 3600, maxCount: 5, action: 'several')]
	public function both(): bool { return true; }

	#[AccessLimit(seconds: 0.5, maxCount: 2)]
	public function brief(): bool { return true; }

	#[AccessLimit(60)]
	public function byDefault(): bool { return true; }
}

/** Returns the Result of a refusal; null when the call passed. */
function refusal(callable $call): ?FrequencyLimit\Result
{
	try {
		$call();
		return null;
	} catch (LimitExceeded $e) {
		return $e->result;
	}
}

function scenario(TestStore $store): void
{
	$limited = new Limited();
	$both = $limited->both(...);
	for ($i = 0; $i < 3; $i++) {
		same(null, refusal($both), "call $i of the minute");
	}
	$result = refusal($both);
	same([false, Reason::Limited, 3, 0, null, $store->name()], [$result->accepted, $result->reason, $result->limit, $result->remaining,
		$result->name, $result->store], 'the fourth');
	between(60 - $store->grain(), $result->retryAfter, 60.001, 'until the minute is over');
	same('"default";q=3;w=60, "default-2";q=5;w=3600', $result->headers()['RateLimit-Policy'], 'both are told');
	ok(str_starts_with($result->headers()['RateLimit'], '"default";r=0;t='), 'the first one decided: ' . $result->headers()['RateLimit']);

	$heard = null;
	FrequencyLimit\Monitor::listen(function (string $name, int|string $id, FrequencyLimit\Result $heard_of) use (&$heard): void { $heard = $heard_of; });
	$result = refusal($both);
	same([[[3, 0], [5, 2]], [3, 5]], [array_map(fn (array $limit): array => [$limit['limit'], $limit['remaining']], $heard->limits), array_column($result->limits, 'limit')], 'a listener gets both');
	same($result->problem(), $heard->problem(), 'and the same decision');
	FrequencyLimit\Monitor::listen(null);

	same(false, Request::lastResult()?->accepted, 'the latest decision is that');
	same($result->headers(), Request::lastResult()->headers(), 'with all its limits');

	/* A refusal counts in neither of them, as a Limiter of that name shows. */
	$limiter = new Limiter('several', [Limit::fixedWindow(9, 60), Limit::fixedWindow(5, 3600)->named('hour')]);
	same(1, $limiter->peek('ip:local')->remaining, '3 of 5, and the next one');
	same(null, $limiter->consume('ip:local', 2)->ensureAccepted()->accepted ? null : false, 'it counts for both');
	$result = refusal($both);
	same(5, $result->limit, 'now the hour decides');
	ok(str_contains($result->headers()['RateLimit'], ', "default-2";r=0;t='), 'and says so: ' . $result->headers()['RateLimit']);
	same(true, $limiter->reset('ip:local'), 'it can forget it');
	same(null, refusal($both), 'and the call passes');

	same([true, 3, 2], [Request::lastResult()->accepted, Request::lastResult()->limit, Request::lastResult()->remaining], 'the latest decision, which passed');
	same('"default";q=3;w=60, "default-2";q=5;w=3600', Request::lastResult()->headers()['RateLimit-Policy'], 'and its limits');

	/* The article's default of 5. */
	for ($i = 0; $i < 5; $i++) {
		same(null, refusal($limited->byDefault(...)), "call $i of 5");
	}
	same(5, refusal($limited->byDefault(...))?->limit, 'the sixth');
}

/** The scenario that needs time to pass. */
function windows(TestStore $store): void
{
	$limited = new Limited();
	same([null, null, 2], [refusal($limited->brief(...)), refusal($limited->brief(...)), refusal($limited->brief(...))?->limit], 'half a second');
	$store->advance(0.499999);
	same(0.000001, refusal($limited->brief(...))?->retryAfter, 'a microsecond before its end');
	$store->advance(0.000001);
	same(null, refusal($limited->brief(...)), 'it is over');

	$both = $limited->both(...);
	FrequencyLimit\Clock::advance(3600);
	for ($i = 0; $i < 3; $i++) {
		same(null, refusal($both), "call $i of the minute");
	}
	same(60.0, refusal($both)?->retryAfter, 'the minute is full');
	$store->advance(60);
	same([null, null], [refusal($both), refusal($both)], 'the next minute, the fifth of the hour');
	same(3540.0, refusal($both)?->retryAfter, 'the hour is full');
	$store->advance(3540);
	same(null, refusal($both), 'the next hour');
}

$store = each_store('embedded', 'redis');
scenario($store);
if ($store->name() === 'shm') {
	windows($store);
}
done();
?>
--EXPECT--
done
