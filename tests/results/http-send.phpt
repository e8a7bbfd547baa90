--TEST--
send() sets the headers, and for a refusal status 429 and a problem details body; sent too late, it throws
--EXTENSIONS--
ratelimit
--INI--
ratelimit.testing=1
--FILE--
<?php
require __DIR__ . "/../attribute/request.inc";

const APP = <<<'PHP'
	use FrequencyLimit\{Limit, Limiter};

	parse_str((string) parse_url($_SERVER["REQUEST_URI"], PHP_URL_QUERY), $q);
	$limits = [
		"one" => Limit::fixedWindow(1, 60),
		"two" => [Limit::fixedWindow(1, 60), Limit::fixedWindow(1, 3600)->named("hour")],
		"odd" => Limit::fixedWindow(1, 60)->named("mi\"nute</script>"),
		"ban" => Limit::fixedWindow(1, 60)->ban(0.2),
	];
	if (isset($q["failure"])) {
		ini_set("ratelimit.on_failure", $q["failure"]);
		ini_set("ratelimit.store", "unix:///nowhere/redis.sock?retry_delay=1500");
	}
	if (isset($q["late"])) {
		echo "early";
		flush();
	}
	try {
		if (!isset($q["late"])) {
			header("Content-Type: text/html");
			header("RateLimit: \"old\";r=1;t=1");
		}
		$result = (new Limiter($q["limits"] ?? "one", $limits[$q["limits"] ?? "one"]))->consume($q["id"] ?? 1, (int) ($q["cost"] ?? 1));
		$result->send();
		if ($result->accepted) {
			echo "accepted";
		}
	} catch (Exception $e) {
		echo get_class($e), ": ", $e->getMessage();
	}
	PHP;

foreach (fpm_binary() === null ? [PhpSite::class] : [PhpSite::class, FpmSite::class] as $class) {
	$site = new $class(site_folder(APP));

	/* Accepted: the headers, and the rest is the application's. */
	[$status, $headers, $body] = $site->get("/");
	same([200, "accepted"], [$status, $body], "$class: accepted");
	same(["\"default\";q=1;w=60", "\"default\";r=0;t=60"], [$headers["ratelimit-policy"], str_replace("t=61", "t=60", $headers["ratelimit"])], "its headers, in place of older ones");
	ok(!isset($headers["retry-after"]) && str_starts_with($headers["content-type"], "text/html"), "and no others");

	/* Refused. */
	[$status, $headers, $body] = $site->get("/");
	same(429, $status, "$class: refused");
	same("application/problem+json", $headers["content-type"], "the type");
	$problem = json_decode($body, true);
	between(55, $problem["retry_after"], 61, "when to come again");
	same((string) $problem["retry_after"], $headers["retry-after"], "the same in the header");
	same(["type" => "https://iana.org/assignments/http-problem-types#quota-exceeded",
		"title" => "Request cannot be satisfied as assigned quota has been exceeded", "status" => 429,
		"detail" => "The limit is 1 in 60 seconds. Try again in {$problem["retry_after"]} seconds.",
		"retry_after" => $problem["retry_after"], "violated-policies" => ["default"]], $problem, "the whole body");

	/* One of several limits, by its name, escaped for JSON. */
	$site->get("/?limits=two");
	[$status, , $body] = $site->get("/?limits=two");
	same(["hour"], json_decode($body, true)["violated-policies"], "$class: the one that decided");
	$site->get("/?limits=odd");
	[, , $body] = $site->get("/?limits=odd");
	same(["mi\"nute</script>"], json_decode($body, true)["violated-policies"], "$class: whatever its name is");

	/* Banned, for less than a second. */
	$site->get("/?limits=ban");
	[$status, $headers, $body] = $site->get("/?limits=ban");
	same([429, "1", "Banned. Try again in 1 second."], [$status, $headers["retry-after"], json_decode($body, true)["detail"]], "$class: banned");

	/* Never. */
	[$status, $headers, $body] = $site->get("/?id=never&cost=2");
	same(429, $status, "$class: too expensive");
	ok(!isset($headers["retry-after"]) && !isset(json_decode($body, true)["retry_after"]), "there is no time to come again");
	same("This costs more than the whole limit of 1: it never passes.", json_decode($body, true)["detail"], "which is said");

	/* The store is away. */
	[$status, $headers, $body] = $site->get("/?failure=deny");
	same([503, "2", 503, "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity"],
		[$status, $headers["retry-after"], json_decode($body, true)["status"], json_decode($body, true)["type"]], "$class: no store");
	same([200, "accepted"], [$site->get("/?failure=allow")[0], $site->get("/?failure=allow")[2]], "$class: allowed");

	/* Too late. */
	[$status, , $body] = $site->get("/?late=1&id=late");
	same(200, $status, "$class: the status has been sent");
	ok(preg_match("~^earlyLogicException: .*send\(\).*too late.*index\.php:\d+$~", $body) === 1, "$class: $body");
}
/* On the command line, without headers: the body. */
$limiter = new FrequencyLimit\Limiter("cli", FrequencyLimit\Limit::fixedWindow(1, 60));
$limiter->consume(1)->send();
ob_start();
$limiter->consume(1)->send();
same(429, json_decode(ob_get_clean(), true)["status"] ?? null, "on the command line");

done();
?>
--EXPECT--
done
