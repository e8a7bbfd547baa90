--TEST--
In FrankenPHP's worker mode each request is one, without a call of Request::begin() (simulated)
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/tools.inc';
needs_tool('worker_mode.so');
?>
--FILE--
<?php
require __DIR__ . "/../include/assert.inc";
require __DIR__ . "/../include/tools.inc";

[$exit, $output] = run_php('require ' . var_export(__DIR__ . "/worker.inc", true) . ';
	use FrequencyLimit\Request;

	/* The script of a worker begins before its first request. */
	Request::identifyBy(fn () => 7);
	$serve = fn (string $address, ?int $user = null) => worker_mode_serve(["REMOTE_ADDR" => $address, "REQUEST_METHOD" => "GET", "REQUEST_URI" => "/like"], function () use ($user) {
		$last = Request::lastResult();
		if ($user !== null) {
			Request::identifyBy(fn () => $user);
		}
		return outcome("members") . " " . outcome("by_path") . " " . Request::clientAddress() . ($last ? " stale" : "");
	});
	same("LoginRequired ran 203.0.113.1", $serve("203.0.113.1"), "a resolver of the boot is not a request\'s");
	same("ran ran 203.0.113.2", $serve("203.0.113.2", 8), "a user");
	same("LoginRequired ran 203.0.113.3", $serve("203.0.113.3"), "is not the next one\'s");
	same("LoginRequired ran 203.0.113.1", $serve("203.0.113.1"), "an address again");
	same("LoginRequired LimitExceeded 203.0.113.1", $serve("203.0.113.1"), "has its own count");
	$freed = 0;
	worker_mode_serve([], function () use (&$freed) { Request::identifyBy((new Freed($freed))->user(...)); });
	worker_mode_serve([], function () use (&$freed) { same(1, $freed, "a state is freed when the next request begins"); });
	same([], warnings(), "nothing to warn of");

	/* An exception that the worker does not catch answers its request, and the worker goes on. */
	ini_set("display_errors", "0");
	foreach ([429, 429] as $status) {
		ob_start();
		same($status, worker_mode_serve(["REMOTE_ADDR" => "203.0.113.1", "REQUEST_URI" => "/like"], by_path(...)), "uncaught");
		same($status, json_decode(ob_get_clean(), true)["status"] ?? null, "with a body");
	}
	ob_start();
	same(401, worker_mode_serve(["REMOTE_ADDR" => "203.0.113.1"], members(...)), "a login");
	ob_end_clean();
	echo "served";', ["extension" => tool("worker_mode.so")]);
same([0, "served"], [$exit, $output], "the worker");
done();
?>
--EXPECT--
done
