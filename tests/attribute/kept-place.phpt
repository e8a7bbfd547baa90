--TEST--
Each of many calls of one attributed function counts for its own user, path and client, by any way of calling
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{AccessLimit, Clock, Limit, Limiter, LimitExceeded, Request};

#[AccessLimit(seconds: 3600, maxCount: 100, action: 'named')]
function named(): int { return Request::lastResult()->remaining; }

#[AccessLimit(seconds: 3600, maxCount: 50)]
function by_path(int $depth = 0): int
{
	$remaining = Request::lastResult()->remaining;
	return $depth > 0 ? by_path($depth - 1) : $remaining;
}

#[AccessLimit(seconds: 3600, maxCount: 20, action: 'pieces')]
function pieces(): Generator { yield Request::lastResult()->remaining; }

#[AccessLimit(seconds: 3600, maxCount: 300_000, action: 'many')]
function many(): int { return Request::lastResult()->remaining; }

function times(int $n, callable $call): array
{
	return array_map(fn () => $call(), range(1, $n));
}
$limiter = new Limiter('named', Limit::fixedWindow(100, 3600));

/* What lastResult() has of a call is what a check by another limiter finds. */
same([99, 98, 97, 96], times(4, named(...)), 'the first calls');
same(96, $limiter->peek('ip:local')->remaining + 1, 'the same count');
$last = Request::lastResult();
same([true, 100, 96, 0.0], [$last->accepted, $last->limit, $last->remaining, $last->retryAfter], 'the latest decision');
ok($last->resetAfter <= 3600.001 && $last->resetAfter > 3000.0, "the window began: $last->resetAfter");
same('"default";q=100;w=3600', $last->headers()['RateLimit-Policy'], 'its policy');

/* Two users in turns, a guest, and text. */
$user = null;
Request::identifyBy(function () use (&$user) { return $user; });
$seen = [];
foreach ([7, 7, 8, 7, null, null, 'x', 'x', '7', 8, 'ip:local', 8, null] as $user) {
	$seen[] = named();
}
same([99, 98, 99, 97, 95, 94, 99, 98, 96, 98, 99, 97, 93], $seen, 'each counts for itself');
Request::identifyBy(null);
same([92, 91], times(2, named(...)), 'and the client again');
/* A resolver that calls the function itself. */
Request::identifyBy(function (): int {
	static $inside = false;
	if (!$inside) {
		$inside = true;
		named();
		$inside = false;
	}
	return $inside ? 31 : 30;
});
named();
named();
same([98, 98], [$limiter->peek(30)->remaining + 1, $limiter->peek(31)->remaining + 1], 'calls of the resolver');
Request::identifyBy(null);

/* What other calls do to the count between two calls. */
$limiter->consume('ip:local', 10);
same(80, named(), 'a limiter has counted');
$limiter->reset('ip:local');
same([99, 98], times(2, named(...)), 'it is forgotten');
$limiter->ban('ip:local', 60);
throws(LimitExceeded::class, ['named'], named(...), 'banned');
$limiter->unban('ip:local');
same([97, 96], times(2, named(...)), 'and no more');
$limiter->consume('ip:local', 94);
same([1, 0], times(2, named(...)), 'the last ones');
same([0, true], [Request::lastResult()->remaining, Request::lastResult()->nextAfter > 3000.0], 'until the window ends');
throws(LimitExceeded::class, ['named'], named(...), 'refused');
same([false, 0], [Request::lastResult()->accepted, Request::lastResult()->remaining], 'which is the latest decision');
foreach (FrequencyLimit\Monitor::limiters() as $counts) {
	if ($counts['kind'] === 'attribute') {
		same(['named', 32, 2, 2, 2], [$counts['name'], $counts['decisions'], $counts['refused'], $counts['limits'][0]['refused'], $counts['near']], 'the counts by name');
	}
}
$limiter->reset('ip:local');

/* Settings and a listener that come in between. */
named();
named();
$heard = [];
FrequencyLimit\Monitor::listen(function (string $name, int|string $id, $result) use (&$heard) { $heard[] = "$name $id $result->remaining"; });
named();
FrequencyLimit\Monitor::listen(null);
named();
same(['named ip:local 97'], $heard, 'a listener hears the call');
ini_set('ratelimit.enforce', '0');
same(95, named(), 'not enforced');
ini_set('ratelimit.enforce', '1');
Clock::freeze();
same([94, 93], times(2, named(...)), 'a frozen clock');
Clock::advance(3600);
same([99, 98], times(2, named(...)), 'the next window');
Clock::unfreeze();

/* Recursion, generators, and closures of one function. */
same(46, by_path(3), 'recursion');
foreach ([19, 18, 17] as $remaining) {
	foreach (pieces() as $piece) {
		same($remaining, $piece, 'a generator');
	}
}
$closure = #[AccessLimit(seconds: 3600, maxCount: 10, action: 'closure')] fn () => Request::lastResult()->remaining;
same([9, 8, 7], [$closure(), (clone $closure)(), $closure->bindTo(new stdClass())()], 'a closure');

/* More calls than one word of the segment counts. */
$limiter = new Limiter('many', Limit::fixedWindow(300_000, 3600));
same(299_999, many(), 'the first');
$limiter->consume('ip:local', 262_139);
same(range(37_859, 37_850), times(10, many(...)), 'across the end of the word');
ok(Request::lastResult()->resetAfter <= 3600.001 && Request::lastResult()->resetAfter > 3000.0, 'the same window');
$limiter->consume('ip:local', 37_848);
same([1, 0], times(2, many(...)), 'the last ones');
throws(LimitExceeded::class, ['many'], many(...), 'refused');

/* Requests of a server: the path and the client of the running one. */
$seen = [];
foreach ([['192.0.2.1', '/a'], ['192.0.2.1', '/a'], ['192.0.2.2', '/a'], ['192.0.2.1', '/b'], ['192.0.2.1', '/A/'], ['192.0.2.2', '/a']] as [$client, $path]) {
	Request::begin($client, $path);
	array_push($seen, ...times(2, by_path(...)));
}
same([49, 48, 47, 46, 49, 48, 49, 48, 45, 44, 47, 46], $seen, 'each request has its own');
Request::begin('192.0.2.9', '/a', '198.51.100.9');
same([49, 48], times(2, by_path(...)), 'a proxy that is not trusted');
ini_set('ratelimit.trusted_proxies', '192.0.2.9');
same([49, 48], times(2, by_path(...)), 'and then is');
ini_set('ratelimit.trusted_proxies', '');
same(47, by_path(), 'and then is not');
Request::end();

/* Fibers that serve a request each, in turns. */
$seen = [];
$fibers = [];
foreach ([1, 2] as $i) {
	$fibers[] = new Fiber(function () use ($i, &$seen) {
		Request::begin("203.0.113.$i", '/fiber');
		for ($n = 0; $n < 4; $n++) {
			$seen[$i][] = by_path();
			Fiber::suspend();
		}
	});
}
array_map(fn ($fiber) => $fiber->start(), $fibers);
for ($n = 0; $n < 3; $n++) {
	array_map(fn ($fiber) => $fiber->resume(), $fibers);
}
same([1 => [49, 48, 47, 46], 2 => [49, 48, 47, 46]], $seen, 'fibers');
done();
?>
--EXPECT--
done
