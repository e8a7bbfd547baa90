--TEST--
An uncaught LimitExceeded answers 429 with its headers, an uncaught LoginRequired 401; neither is logged
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . "/../attribute/request.inc";

const APP = <<<'PHP'
	use FrequencyLimit\{AccessLimit, Limit, Limiter};

	#[AccessLimit(3600, 1, action: 'once')]
	function once(): string { return 'ran'; }

	#[AccessLimit(3600, 1, needLogin: true)]
	function members(): string { return 'ran'; }

	parse_str((string) parse_url($_SERVER["REQUEST_URI"], PHP_URL_QUERY), $q);
	match ($q["how"] ?? "") {
		"" => print once(),
		"login" => print members(),
		"ensure" => print (new Limiter("ensured", Limit::fixedWindow(1, 60)->named("minute")))->consume(1)->ensureAccepted()->limit,
		"buffered" => (function () { ob_start(); ob_start(fn ($text) => strtoupper($text)); echo "half a page"; once(); })(),
		"dies" => (function () { ob_start(fn ($text) => $text === "" ? "" : undefined(), 1); once(); })(),
		"sent" => (function () { echo "half a page"; ob_flush(); flush(); once(); })(),
		"shutdown" => register_shutdown_function(once(...)),
		"wrapped" => (function () { try { once(); } catch (Exception $e) { throw new RuntimeException("no comment", 0, $e); } })(),
		"rethrown" => (function () { try { once(); } catch (Exception $e) { error_log((string) $e); throw $e; } })(),
		"other" => throw new DomainException("a bug"),
		"written" => (function () { try { once(); } catch (Exception $e) { $s = (string) $e; } throw new DomainException("a bug"); })(),
		"finally" => (function () { try { once(); } finally { try { throw new LogicException("within"); } catch (LogicException) {} } })(),
		"handler" => (function () { set_exception_handler(function ($e) { http_response_code(418); echo get_class($e); }); once(); })(),
		"throws" => (function () { set_exception_handler(fn ($e) => throw $e); once(); })(),
		"unavailable" => (function () {
			ini_set("ratelimit.on_failure", "deny");
			ini_set("ratelimit.store", "unix:///nowhere/redis.sock");
			once();
		})(),
	};
	PHP;

foreach (fpm_binary() === null ? [PhpSite::class] : [PhpSite::class, FpmSite::class] as $class) {
	$log = temp_folder(0777) . "/log";
	touch($log) && chmod($log, 0666);
	/** What was logged since the last call. */
	$logged = function () use ($log): string {
		$text = file_get_contents($log);
		file_put_contents($log, "");
		return $text;
	};
	$ini = ["log_errors" => "1", "error_log" => $log, "output_buffering" => "4096"];
	$site = new $class(site_folder(APP), ["display_errors" => "0"] + $ini);

	/* The one that passes, and then the refusals. */
	same([200, "ran"], [$site->get("/")[0], "ran"], "$class: it passes");
	foreach (["", "?how=rethrown", "?how=buffered", "?how=shutdown", "?how=finally", "?how=throws"] as $how) {
		$logged();
		[$status, $headers, $body] = $site->get("/$how");
		same([429, "application/problem+json"], [$status, $headers["content-type"]], "$class: refused $how");
		ok($headers["retry-after"] > 3500 && $headers["ratelimit-policy"] === '"default";q=1;w=3600', "with its headers");
		same([429, (int) $headers["retry-after"]], [json_decode($how === "?how=buffered" ? strtolower($body) : $body, true)["status"] ?? $body,
			json_decode(strtolower($body), true)["retry_after"] ?? null], "and a body of nothing else: $body");
		ok(!str_contains($logged(), "Fatal error"), "and without a line in the log");
	}
	$site->get("/?how=ensure");
	same([429, ["minute"]], [($answer = $site->get("/?how=ensure"))[0], json_decode($answer[2], true)["violated-policies"]], "ensureAccepted()");
	same(503, $site->get("/?how=unavailable")[0], "the store is away");
	$logged();
	[$status, $headers, $body] = $site->get("/?how=login");
	same([401, "application/problem+json", ["type" => "about:blank", "title" => "Unauthorized", "status" => 401, "detail" => "This requires a user who is logged in."]],
		[$status, $headers["content-type"], json_decode($body, true)], "$class: nobody is logged in");
	same("", $logged(), "which is not logged");

	/* Output had been sent: the status is what it was, and the page ends there. One line in a process says so. */
	for ($i = 0; $i < 3; $i++) {
		[$status, , $body] = $site->get("/?how=sent");
		same([200, "half a page"], [$status, $body], "$class: too late");
	}
	$text = $logged();
	ok(!str_contains($text, "Fatal error") && between_times($text, 1, 2), "is logged once in a process: $text");

	/* The application's handler comes first; other exceptions are PHP's. */
	same([418, "FrequencyLimit\LimitExceeded"], [($answer = $site->get("/?how=handler"))[0], $answer[2]], "$class: a handler");
	$logged();
	foreach (["other" => "DomainException", "wrapped" => "RuntimeException", "written" => "DomainException"] as $how => $exception) {
		same([500, ""], [($answer = $site->get("/?how=$how"))[0], $answer[2]], "$class: $how");
		ok(preg_match("~Fatal error: +Uncaught .*$exception~s", $text = $logged()) === 1, "is a fatal error: $text");
	}

	/* Who develops sees what PHP shows of an uncaught exception. */
	$site = new $class(site_folder(APP), ["display_errors" => "1"] + $ini);
	$site->get("/");
	[$status, $headers, $body] = $site->get("/");
	same(429, $status, "$class: with display_errors");
	ok(isset($headers["retry-after"]) && str_starts_with($headers["content-type"], "text/html"), "its headers");
	ok(preg_match('~Fatal error: +Uncaught FrequencyLimit\\\\LimitExceeded: Too many calls of "once"~', $body) === 1, "the message: $body");
	same("", $logged(), "not logged either");
	same(401, $site->get("/?how=login")[0], "a login");
	/* PHP's output may end the script in a callback of the application: what comes later is logged as ever. */
	for ($i = 0; $i < 8; $i++) {
		$site->get("/?how=dies");
	}
	$logged();
	for ($i = 0; $i < 8; $i++) {
		$site->get("/?how=other");
	}
	same(8, preg_match_all("~Fatal error: +Uncaught DomainException~", $text = $logged()), "$class: each one is logged: $text");
}
function between_times(string $text, int $low, int $high): bool
{
	$n = substr_count($text, "ratelimit: ");
	return $n >= $low && $n <= $high && substr_count($text, "\n") === $n;
}

/* The command line has an exception as ever. */
require_once __DIR__ . "/../include/php.inc";
[$exit, $output] = run_php('#[FrequencyLimit\AccessLimit(60, 1)] function f() {} f(); f();', ["display_errors" => "1", "html_errors" => "0", "log_errors" => "0"]);
same(255, $exit, "the command line");
ok(str_contains($output, 'PHP Fatal error: ') || str_contains($output, 'Fatal error: Uncaught FrequencyLimit\LimitExceeded: Too many calls of "f"'), $output);

done();
?>
--EXPECT--
done
