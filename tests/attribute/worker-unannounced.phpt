--TEST--
A server process without a call of Request::begin() has no user once it serves a second request
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . "/../include/assert.inc";
require __DIR__ . "/../include/php.inc";

/** What a process of its own prints that runs this. */
function prints(string $code): string
{
	[$exit, $output] = run_php('error_reporting(E_ALL); ini_set("html_errors", "0"); require ' . var_export(__DIR__ . "/worker.inc", true) . "; $code", ["error_log" => ""]);
	same(0, $exit, "exit: $output");
	return $output;
}
const SERVE = 'use FrequencyLimit\Request;
	function serve(string $address, ?int $user): string {
		$_SERVER["REMOTE_ADDR"] = $address;
		$_SERVER["REQUEST_METHOD"] = "GET";
		$_SERVER["REQUEST_URI"] = "/like";
		if ($user !== null) Request::identifyBy(fn () => $user);
		return outcome("members") . " " . Request::clientAddress() . "\n";
	} ';
const REPORT = 'echo count(warnings()), " warning\n";';

/* A loop that writes $_SERVER, as servers do that copy a request into it. */
same("ran local\nLoginRequired nobody\nLoginRequired nobody\n1 warning\n",
	prints(SERVE . 'echo serve("203.0.113.5", 7), serve("203.0.113.6", null), serve("203.0.113.7", 8);' . REPORT), "the second request has no user");
same("LimitExceeded\n", prints(SERVE . 'for ($i = 0; $i < 9; $i++) { $_SERVER["REMOTE_ADDR"] = "203.0.113.$i"; $last = outcome("by_address"); } echo "$last\n";'),
	"all clients are one that has no request");

/* One that has announced itself is served right, whatever it writes. */
same("ran 203.0.113.5\nLoginRequired 203.0.113.6\nran 203.0.113.7\n0 warning\n",
	prints(SERVE . 'foreach ([["203.0.113.5", 7], ["203.0.113.6", null], ["203.0.113.7", 8]] as [$a, $u]) { Request::begin($a); echo serve($a, $u); }' . REPORT), "with begin()");

/* By the class of a server. */
foreach (["Spiral\RoadRunner\Http\HttpWorker", "Laravel\Octane\Worker", "Amp\Http\Server\SocketHttpServer", "React\Http\HttpServer",
	"Workerman\Protocols\Http\Request"] as $class) {
	$namespace = substr($class, 0, strrpos($class, "\\"));
	$short = substr(strrchr($class, "\\"), 1);
	$declare = 'eval("namespace ' . addslashes($namespace) . "; class $short {}" . '");';
	same("LoginRequired\n1 warning\n", prints("$declare FrequencyLimit\Request::identifyBy(fn () => 7); echo outcome('members'), \"\\n\";" . REPORT), $class);
	same("LoginRequired\n", prints("FrequencyLimit\Request::identifyBy(fn () => 7); $declare echo outcome('members'), \"\\n\";"), "$class, after the resolver");
}

/* By a coroutine of Swoole, whose classes are there in every script. */
foreach (["Swoole", "OpenSwoole"] as $namespace) {
	$in = fn (int $coroutine): string => 'eval("namespace ' . $namespace . '\Http; class Server {}"); eval("namespace ' . $namespace
		. "; class Coroutine { static function getCid() { return $coroutine; } static function exists() { return true; } }\");"
		. 'FrequencyLimit\Request::identifyBy(fn () => 7); echo outcome("members"), "\n";' . REPORT;
	same("LoginRequired\n1 warning\n", prints($in(3)), "$namespace, in a coroutine");
	same("ran\n0 warning\n", prints($in(-1)), "$namespace, in none");
}

/* A script is none: one that sets resolvers again and again, and one that pretends to be one request. */
same("ran\nran\nLoginRequired\n0 warning\n", prints('foreach ([7, 8] as $user) { FrequencyLimit\Request::identifyBy(fn () => $user); echo outcome("members"), "\n"; }
	FrequencyLimit\Request::identifyBy(null); echo outcome("members"), "\n";' . REPORT), "a queue's worker");
same("ran local\nran local\n0 warning\n", prints(SERVE . '$_SERVER["X"] = 1; echo serve("127.0.0.1", 7), serve("127.0.0.1", null);' . REPORT), "one request, for a console command");

/* The warning is PHP's, with the place of the call. */
$shown = prints('restore_error_handler(); FrequencyLimit\Request::begin(); FrequencyLimit\Request::end(); for ($i = 0; $i < 3; $i++) echo outcome("members");');
same(1, preg_match_all('~Warning: .*Request::begin\(\).* in .*worker\.inc on line \d+~', $shown), "once in a process: $shown");
/* A handler that makes exceptions of warnings keeps the body from running, too. */
same("ErrorException LoginRequired\n", prints('set_error_handler(fn ($level, $message) => throw new ErrorException($message));
	FrequencyLimit\Request::begin(); FrequencyLimit\Request::end();
	try { by_address(); } catch (ErrorException $e) { echo $e::class, " "; } echo outcome("members"), "\n";'), "as an exception");

done();
?>
--EXPECT--
done
