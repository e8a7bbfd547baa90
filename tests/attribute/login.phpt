--TEST--
identifyBy() names the user; needLogin throws LoginRequired for a guest before anything is counted
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . "/../include/assert.inc";
use FrequencyLimit\{AccessLimit, Clock, InvalidArgument, Limit, Limiter, LimitExceeded, LoginRequired, Request};
Clock::freeze(1_900_000_000);

#[AccessLimit(60, 2, action: "open")]
function open(): bool { return true; }

#[AccessLimit(60, 2, needLogin: true, action: "members")]
function members(): bool { return true; }

#[AccessLimit(60, 9, action: "one"), AccessLimit(3600, 9, needLogin: true, action: "one")]
function one_of_them(): bool { return true; }

/** How many of four calls pass. */
function passing(callable $call): int
{
	$passed = 0;
	for ($i = 0; $i < 4; $i++) {
		try {
			$passed += $call();
		} catch (LimitExceeded) {
		}
	}
	return $passed;
}
$left = function (string $action, int|string $id, int $limit = 2): int {
	$next = (new Limiter($action, Limit::fixedWindow($limit, 60)))->peek($id);
	return $next->remaining + ($next->accepted ? 1 : 0);
};

/* Without a resolver there is no user. */
same(2, passing("open"), "by the address");
same(0, $left("open", "ip:local"), "which is the identity");
throws(LoginRequired::class, ["members", "logged in"], "members", "without a resolver");
throws(LoginRequired::class, [], "one_of_them", "one of several wants it");
try {
	members();
} catch (LoginRequired $e) {
	same(401, $e->getCode(), "its code");
	ok($e instanceof RuntimeException, "a RuntimeException");
}

/* With a user. */
$user = null;
$asked = 0;
Request::identifyBy(function (mixed ...$nothing) use (&$user, &$asked) { $asked++; same([], $nothing, "its arguments"); return $user; });
throws(LoginRequired::class, [], "members", "nobody is logged in");
same(2, $left("members", "ip:local"), "and nothing was counted");
foreach ([42, "alice", -1, 0, "a b\0c"] as $user) {
	same(2, passing("members"), "user " . json_encode($user));
	same(0, $left("members", $user), "is the identity");
}
$user = "42";
same(0, passing("members"), "an int is the string of its digits");
$user = null;
same(0, passing("open"), "the address again");
ok($asked >= 20, "it is asked at each call");

/* A user cannot take an address for a name. */
foreach (["ip:local" => "id:ip:local", "id:x" => "id:id:x", "ip:" => "id:ip:", "id" => "id", "IP:local" => "IP:local"] as $user => $identity) {
	same(2, passing("open"), "a user who is called $user");
	same(0, $left("open", $identity), "$user is $identity");
}

/* The kinds of resolvers, and their results. */
foreach ([true, 1.5, [], new stdClass] as $user) {
	throws(TypeError::class, ["identifyBy", "int|string|null"], "members", "it returns " . get_debug_type($user));
}
foreach (["", str_repeat("x", 256)] as $user) {
	throws(InvalidArgument::class, ["非法参数", "user"], "members", "a name of " . strlen($user) . " bytes");
}
same(9, $left("one", "alice", 9), "nothing was counted");
Request::identifyBy(fn () => throw new DomainException("no session"));
throws(DomainException::class, ["no session"], "open", "what it throws is thrown");
final class Session
{
	public function __construct(private string $name) {}
	public function name(): string { return $this->name; }
	public static function nobody(): ?string { return null; }
	public function __invoke(): string { return $this->name; }
}
Request::identifyBy([new Session("array"), "name"]);
same(2, passing("members"), "a method");
/* A method that only the caller of identifyBy() may call: it is called from anywhere. */
final class Hidden
{
	public function __construct(private string $name) { Request::identifyBy([$this, "name"]); }
	private function name(): string { return $this->name; }
	private static function anybody(): string { return "a private static method"; }
	public static function set(): void { Request::identifyBy([self::class, "anybody"]); }
	public function __call(string $name, array $arguments): string { return "magic $name"; }
}
new Hidden("a private method");
same(2, passing("members"), "a private method");
same(0, $left("members", "a private method"), "of this object");
Hidden::set();
same(2, passing("members"), "a private static method");
Request::identifyBy([new Hidden("other"), "else"]);
same(2, passing("members"), "a method that __call() answers");
same(0, $left("members", "magic else"), "which is called by its name");
Request::identifyBy(new Session("invoked"));
same(2, passing("members"), "an object");
Request::identifyBy("Session::nobody");
throws(LoginRequired::class, [], "members", "a name");
$reference = "by reference";
Request::identifyBy(function &() use (&$reference) { return $reference; });
same(2, passing("members"), "by reference");
throws(TypeError::class, ["identifyBy", "callback"], fn () => Request::identifyBy("no such function"), "not callable");
Request::identifyBy(null);
throws(LoginRequired::class, [], "members", "taken away");

/* One that changes the resolver, and one that asks itself. */
Request::identifyBy(function () { Request::identifyBy(null); return "changed"; });
same(1, (int) members(), "it is asked to its end");
throws(LoginRequired::class, [], "members", "and then no more");
Request::identifyBy(function () { return members() ? 1 : null; });
throws(Error::class, ["identifyBy", "asks"], "members", "it calls what is limited");
Request::identifyBy(fn () => "after");
same(2, passing("members"), "and nothing is left of it");

/* Many functions while it is asked: limits are not mixed up. */
for ($i = 0; $i < 200; $i++) {
	eval("#[FrequencyLimit\AccessLimit(60, " . ($i % 3 + 1) . ", action: \"many $i\")] function many$i() { return true; }");
}
Request::identifyBy(function () {
	static $inside = false;
	if ($inside) {
		return 7;
	}
	$inside = true;
	for ($i = 0; $i < 200; $i++) {
		try {
			("many$i")();
		} catch (LimitExceeded) {
		}
	}
	$inside = false;
	return 8;
});
for ($i = 0; $i < 200; $i++) {
	same($i % 3 + 1, passing("many$i"), "many$i");
}

done();
?>
--EXPECT--
done
