--TEST--
Each fiber has the request that it has begun, or none: it inherits nothing, and its state ends with it
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . "/worker.inc";
use FrequencyLimit\Request;

/* Four requests side by side, as an event loop serves them: each is suspended at every step. */
$counted = [];
$fibers = [];
foreach ([1, 2, null, 4] as $i => $user) {
	$fibers[] = new Fiber(function () use ($i, $user, &$counted) {
		Request::begin("203.0.113.$i", "/fiber");
		Fiber::suspend();
		if ($user !== null) {
			Request::identifyBy(function () use ($user) { Fiber::suspend(); return $user; });
		}
		Fiber::suspend();
		$counted[$i] = [outcome("members"), Request::clientAddress()];
		Fiber::suspend();
		$counted[$i][] = Request::lastResult()?->remaining;
	});
}
array_map(fn ($fiber) => $fiber->start(), $fibers);
while ($fibers = array_filter($fibers, fn ($fiber) => !$fiber->isTerminated())) {
	array_map(fn ($fiber) => $fiber->resume(), array_reverse($fibers));
}
ksort($counted);
same([["ran", "203.0.113.0", 1], ["ran", "203.0.113.1", 1], ["LoginRequired", "203.0.113.2", null], ["ran", "203.0.113.3", 1]], $counted, "each for itself");
same([1, 1, 1], [left("members", 1), left("members", 2), left("members", 4)], "and counted so");
same([], warnings(), "nothing to warn of");

/* A fiber that begins none has none, wherever it was started and whoever resumes it. */
Request::begin("203.0.113.9");
Request::identifyBy(fn () => 5);
$child = new Fiber(function (): array {
	$first = [outcome("members"), Request::clientAddress()];
	Fiber::suspend();
	return [...$first, outcome("members")];
});
$child->start();
Request::begin("203.0.113.10");
Request::identifyBy(fn () => 6);
$child->resume();
same(["LoginRequired", "nobody", "LoginRequired"], $child->getReturn(), "a child of a request");
same(1, count(warnings()), "which is a warning");
same(["ran", "203.0.113.10"], [outcome("members"), Request::clientAddress()], "its parent keeps its own");
same([2, 1], [left("members", 5), left("members", 6)], "nothing was charged to a user who did not call");

/* A state is freed with its fiber: one that returns, one that throws, one that is dropped. */
$freed = 0;
$begin = function () use (&$freed) {
	Request::begin("203.0.113.11");
	Request::identifyBy((new Freed($freed))->user(...));
};
(new Fiber($begin))->start();
same(1, $freed, "it has returned");
try {
	(new Fiber(function () use ($begin) { $begin(); throw new DomainException("gone"); }))->start();
	failed("nothing was thrown");
} catch (DomainException) {
}
same(2, $freed, "it has thrown");
$fiber = new Fiber(function () use ($begin) { $begin(); Fiber::suspend(); });
$fiber->start();
same(2, $freed, "it is suspended");
unset($fiber);
same(3, $freed, "it was dropped");

/* A destructor of it that throws: the script goes on. PHP has no place for the exception of a dropped fiber's destructor, so that it is a
 * warning, which no error handler gets. */
class ThrowsAtTheEnd { public function user(): int { return 1; } public function __destruct() { throw new LengthException("at the end"); } }
$thrower = function (?Throwable $own = null, bool $waits = false) {
	Request::begin("203.0.113.13");
	Request::identifyBy((new ThrowsAtTheEnd)->user(...));
	$waits && Fiber::suspend();
	$own && throw $own;
};
throws(LengthException::class, ["at the end"], fn () => (new Fiber($thrower))->start(), "a fiber that returns");
throws(DomainException::class, ["own"], fn () => (new Fiber($thrower))->start(new DomainException("own")), "a fiber that throws");
set_error_handler(function (int $level, string $message): never { throw new ErrorException($message); });
ob_start();
$fiber = new Fiber($thrower);
$fiber->start(null, true);
unset($fiber);
$printed = ob_get_clean();
restore_error_handler();
ok(str_contains($printed, "Warning: Uncaught LengthException: at the end"), "a fiber that is dropped: $printed");
try {
	$fiber = new Fiber($thrower);
	$fiber->start(null, true);
	throw new DomainException("it waits");
} catch (DomainException $waiting) {
	ob_start();
	try {
		(function () use (&$fiber) { $mine = $fiber; $fiber = null; throw new OutOfRangeException("it is on its way"); })();
	} catch (OutOfRangeException) {
		$caught = true;
	}
	ob_end_clean();
}
same(true, $caught ?? false, "a fiber that is dropped while an exception is on its way");

/* 20,000 fibers leave nothing, and none finds what another at its place has left. */
$odd = 0;
$run = function () use (&$odd, $begin) {
	$odd += outcome("members") !== "LoginRequired";
	Request::begin("203.0.113.12");
	Request::identifyBy(fn () => 99);
};
for ($i = 0; $i < 200; $i++) {
	(new Fiber($run))->start();
}
$before = memory_get_usage();
for ($i = 0; $i < 20000; $i++) {
	(new Fiber($run))->start();
}
same(0, $odd, "each begins without a user");
between(-20000, memory_get_usage() - $before, 20000, "bytes that 20,000 requests leave");

/* Some are still there at the end. */
$last = new Fiber(function () use ($begin) { $begin(); Fiber::suspend(); });
$last->start();
done();
?>
--EXPECT--
done
