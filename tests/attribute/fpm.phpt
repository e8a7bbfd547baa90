--TEST--
php-fpm: an attributed controller admits exactly its limit over all workers, and answers the rest with 429
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . "/../include/fpm.inc";
needs_fpm();
?>
--FILE--
<?php
require __DIR__ . "/request.inc";

const APP = <<<'PHP'
	use FrequencyLimit\AccessLimit;
	use FrequencyLimit\Request;

	final class Comments
	{
		#[AccessLimit(seconds: 3600, maxCount: 25)]
		public function add(): string { usleep(2000); return json_encode(["pid" => getmypid()]); }

		#[AccessLimit(seconds: 3600, maxCount: 2, needLogin: true)]
		public function mine(): string { return "mine"; }
	}

	set_exception_handler(function (Throwable $e) {
		if ($e instanceof FrequencyLimit\LimitExceeded) {
			$e->result->send();
		} elseif ($e instanceof FrequencyLimit\LoginRequired) {
			http_response_code(401);
		} else {
			throw $e;
		}
	});
	Request::identifyBy(fn () => $_SERVER["HTTP_X_USER"] ?? null);
	echo (new Comments())->{ltrim(strtok($_SERVER["REQUEST_URI"], "?"), "/")}();
	PHP;
$folder = site_folder(APP);
$fpm = new Fpm(["html_errors" => "0"]);
$parameters = fn (string $path, string $client, array $more = []): array => $more + ["SCRIPT_FILENAME" => "$folder/index.php",
	"SCRIPT_NAME" => "/index.php", "REQUEST_METHOD" => "GET", "REQUEST_URI" => $path, "REMOTE_ADDR" => $client];

/* At once, from one client: four workers. */
$answers = in_processes(4, function (int $i) use ($fpm, $parameters): array {
	$answers = [];
	for ($j = 0; $j < 15; $j++) {
		$answers[] = $fpm->request($parameters("/add?$i", "192.0.2.1"));
	}
	return $answers;
});
$answers = array_merge(...$answers);
$passed = array_filter($answers, fn (array $a): bool => $a[0] === 200);
same(25, count($passed), "admitted of 60");
ok(count(array_unique(array_map(fn (array $a): int => json_decode($a[2], true)["pid"], $passed))) > 1, "by several workers");
foreach ($answers as [$status, $headers, $body]) {
	if ($status !== 200) {
		same(429, $status, "the others");
		same("application/problem+json", $headers["content-type"], "as a problem");
		between(3590, (int) $headers["retry-after"], 3600, "when to come again");
		same(429, json_decode($body, true)["status"], "in the body too");
	}
}
same(200, $fpm->request($parameters("/add", "192.0.2.2"))[0], "another client");
same(200, $fpm->request($parameters("/add", "192.0.2.1", ["HTTP_X_USER" => "bob"]))[0], "a user");

/* Users. */
same(401, $fpm->request($parameters("/mine", "192.0.2.3"))[0], "nobody is logged in");
foreach ([200, 200, 429] as $i => $status) {
	same($status, $fpm->request($parameters("/mine", "192.0.2.$i", ["HTTP_X_USER" => "bob"]))[0], "bob, from anywhere");
}
same(200, $fpm->request($parameters("/mine", "192.0.2.3", ["HTTP_X_USER" => "ann"]))[0], "ann");

/* The resolver belongs to its request, and so does the latest decision. */
same(null, $fpm("return FrequencyLimit\\Request::lastResult();"), "no decision is left");
same(null, $fpm("return (#[FrequencyLimit\\AccessLimit(60, 9, needLogin: false)] fn () => null)();"), "none is left");
same("LoginRequired", $fpm("try { (#[FrequencyLimit\\AccessLimit(60, 9, needLogin: true)] fn () => 1)(); } catch (FrequencyLimit\\LoginRequired) { return \"LoginRequired\"; }"), "for the next one");
same([], $fpm->complaints(), "nothing in the log");

done();
?>
--EXPECT--
done
