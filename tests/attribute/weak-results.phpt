--TEST--
A destructor behind a WeakMap's entry of Request::lastResult() may call, end and begin requests
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
use FrequencyLimit\{AccessLimit, Limit, Limiter, LimitExceeded, RateLimit, Request};

final class Calls
{
	public function __construct(private Closure $call) {}

	public function __destruct()
	{
		($this->call)();
	}
}

Limiter::define(new Limiter('api', Limit::fixedWindow(1, 60)));
#[RateLimit('api')]
function limited(): int { return 1; }
function refuse(): void
{
	try {
		limited();
	} catch (LimitExceeded) {
	}
}
/** Refuses a call; the end of its Result calls the function. */
function refuse_with(Closure $call): void
{
	global $of;
	refuse();
	refuse();
	$of[Request::lastResult()] = new Calls($call);
}

$of = new WeakMap();
$called = 0;
refuse_with(function () use (&$called): void { $called++; refuse(); });
refuse();
refuse();
same([1, false], [$called, Request::lastResult()->accepted], 'it calls the same function');

/* A resolver whose end throws. */
#[AccessLimit(60, 5)]
function by_user(): int { return 1; }
$set = function (): void {
	$held = new Calls(fn () => throw new LogicException('the end of the resolver'));
	Request::identifyBy(function () use ($held): string {
		Request::identifyBy(null);
		return 'user ' . str_repeat('x', random_int(20, 30));
	});
};
$set();
unset($set);
throws(LogicException::class, ['the end of the resolver'], by_user(...), 'a resolver whose end throws');

/* The state of a request has strings, a resolver, and that Result. */
foreach ([
	'another resolver' => fn () => @Request::identifyBy(fn (): int => 6), /* of no request, where another one has not begun yet */
	'the address' => fn () => @Request::clientAddress(), /* of none */
	'the end' => fn () => Request::end(),
	'a beginning' => fn () => Request::begin('192.0.2.' . random_int(1, 9)),
] as $what => $call) {
	foreach (['end', 'begin'] as $by) {
		Request::begin('198.51.100.' . random_int(1, 9));
		$held = new stdClass();
		Request::identifyBy(fn (): string => 'user ' . spl_object_id($held) . random_int(1, 9));
		refuse_with(function () use (&$called, $call): void { $called++; $call(); });
		$by === 'end' ? Request::end() : Request::begin('203.0.113.' . random_int(1, 9));
		Request::begin('203.0.113.' . random_int(1, 9));
		refuse();
	}
}
same(9, $called, 'each was called');

done();
?>
--EXPECT--
done
