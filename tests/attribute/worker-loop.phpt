--TEST--
A process that serves many requests: none of them has the user, the address or the last result of another
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . "/worker.inc";
use FrequencyLimit\{InvalidArgument, LoginRequired, Request};

/* A loop as RoadRunner's and Octane's. */
$answers = [];
foreach ([["203.0.113.1", 7], ["203.0.113.2", null], ["203.0.113.3", 8], ["203.0.113.1", null]] as [$address, $user]) {
	Request::begin(address: $address, path: "/comment");
	same(null, Request::lastResult(), "no result yet");
	same($address, Request::clientAddress(), "the address");
	if ($user !== null) {
		Request::identifyBy(fn () => $user);
	}
	$answers[] = [outcome("members"), outcome("anybody")];
	same(2, Request::lastResult()?->limit, "the latest decision");
}
same([["ran", "ran"], ["LoginRequired", "ran"], ["ran", "ran"], ["LoginRequired", "ran"]], $answers, "each is its own user");
same(1, left("members", 7), "counted for user 7");
same(1, left("members", 8), "and for user 8");

/* By address and path. */
$passed = function (string $address, string $path, ?string $forwarded = null): int {
	Request::begin($address, $path, $forwarded);
	return array_count_values([outcome("by_path"), outcome("by_path"), outcome("by_path")])["ran"] ?? 0;
};
same(2, $passed("192.0.2.1", "/a"), "an address at a path");
same(0, $passed("192.0.2.1:4711", "/A/?x=1"), "which is the same path, from another port");
same(0, $passed("::ffff:192.0.2.1", "http://example.com//a"), "and a URI");
same(2, $passed("192.0.2.1", "/b"), "another path");
same(2, $passed("192.0.2.2", "/a"), "another address");
same(2, $passed("[2001:db8::1]:80", "/a"), "IPv6");
same(0, $passed("2001:db8::2", "/a"), "by its network");
same(2, $passed("192.0.2.9", "/a", "192.0.2.1"), "an untrusted peer's header is not read");
ini_set("ratelimit.trusted_proxies", "10.0.0.0/8");
same(0, $passed("10.0.0.1", "/a", "192.0.2.7, 192.0.2.1"), "a proxy's is");
same(2, $passed("10.0.0.1", "/a"), "without one the proxy is the client");

/* What is no address. */
Request::begin("192.0.2.50");
throws(InvalidArgument::class, ["非法参数", '$address', '"example.com" given'], fn () => Request::begin("example.com"), "a name");
same("192.0.2.50", Request::clientAddress(), "nothing has changed");
foreach (["", "unix:/run/app.sock"] as $socket) {
	Request::begin($socket);
	same("local", Request::clientAddress(), "a unix socket");
}
Request::begin();
same("local", Request::clientAddress(), "not given");

/* Behind the end of a request, and with a resolver that nobody could ask for. */
same([], warnings(), "so far");
Request::identifyBy(fn () => 7);
Request::end();
same("LoginRequired", outcome("members"), "no request, no user");
same(1, count($warnings = warnings()), "which is a warning");
ok(str_contains($warnings[0], "Request::begin()"), $warnings[0]);
same(["ran", "ran", "LimitExceeded"], [outcome("by_address"), outcome("by_address"), outcome("by_address")], "all such calls are one client");
same(2, 2 - left("by_address", "ip:nobody"), "nobody");
same("nobody", Request::clientAddress(), "which is its address");
same(null, Request::lastResult(), "and nothing is kept of it");
Request::identifyBy(fn () => 7);
same("LoginRequired", outcome("members"), "a resolver that belongs to no request is not asked");
same([], warnings(), "one warning is enough");
Request::end();
Request::begin("203.0.113.1");
same("ran", outcome("by_address"), "the next request is one");

/* A state is freed; it may be changed from inside. */
$freed = 0;
Request::identifyBy((new Freed($freed))->user(...));
Request::begin();
same(1, $freed, "by the next request");
Request::identifyBy((new Freed($freed))->user(...));
Request::end();
same(2, $freed, "by its end");
foreach (["members", "named_members"] as $members) {
	Request::begin();
	Request::identifyBy(function () { Request::begin("192.0.2.77"); return 9; });
	same("ran", outcome_of($members), "a resolver that begins a request");
	same("192.0.2.77", Request::clientAddress(), "has begun it");
	Request::identifyBy(function () { Request::end(); return 10; });
	same("ran", outcome_of($members), "one that ends it");
	same("LoginRequired", outcome_of($members), "has ended it");
}
final class Begins { public function __destruct() { Request::begin("192.0.2.78"); } public function user(): int { return 7; } }
Request::begin();
Request::identifyBy((new Begins)->user(...));
Request::end();
same("192.0.2.78", Request::clientAddress(), "a destructor that begins one");
Request::identifyBy((new Begins)->user(...));
Request::begin("192.0.2.79");
same("192.0.2.78", Request::clientAddress(), "while another begins");

done();
?>
--EXPECT--
done
