--TEST--
php-fpm: path and client follow the request and the settings of now, and no call builds $_SERVER for them
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/fpm.inc';
needs_fpm();
?>
--FILE--
<?php
require __DIR__ . '/request.inc';

/* The file that builds $_SERVER is one of its own: a file that names $_SERVER has it from its begin. */
const APP = <<<'PHP'
	#[FrequencyLimit\AccessLimit(seconds: 3600, maxCount: 2)]
	function page(): int { return 1; }

	function passes(int $calls): int
	{
		$passed = 0;
		try {
			for ($i = 0; $i < $calls; $i++) {
				$passed += page();
			}
		} catch (FrequencyLimit\LimitExceeded) {
		}
		return $passed;
	}
	$did = [];
	foreach ($_GET['do'] as $step) {
		[$what, $value] = explode('=', "$step=", 3);
		$did[] = match ($what) {
			'call' => passes((int) $value),
			'built' => array_key_exists('_SERVER', $GLOBALS),
			'build' => require __DIR__ . '/build.php',
			'prefix' => ini_set('ratelimit.ipv6_prefix', $value) !== false,
			'trust' => ini_set('ratelimit.trusted_proxies', $value) !== false,
			'client' => FrequencyLimit\Request::clientAddress(),
		};
	}
	echo json_encode($did);
	PHP;
$folder = site_folder(APP);
file_put_contents("$folder/build.php", '<?php
	$known = $_SERVER["REMOTE_ADDR"] ?? null;
	$_SERVER["REMOTE_ADDR"] = "203.0.113." . random_int(1, 255);
	$_SERVER["REQUEST_URI"] = "/" . random_int(1, 1000000);
	return $known;');

foreach ([[], ['variables_order' => 'EGPC'], ['auto_globals_jit' => '0']] as $ini) {
	$site = new FpmSite($folder, $ini);
	$set = json_encode($ini);
	$get = function (string $path, string $client, array $do, array $more = []) use ($site, $set): array {
		[$status, , $body] = $site->get("$path?" . http_build_query(['do' => $do]), [], ['REMOTE_ADDR' => $client] + $more);
		ok($status === 200 && is_array(json_decode($body, true)), "$set: $body");
		return json_decode($body, true) ?? [];
	};

	if (!isset($ini['auto_globals_jit'])) {
		same([false, 1, false], $get('/unbuilt', '192.0.2.1', ['built', 'call=1', 'built']), "$set: a call does not build \$_SERVER");
	}
	/* Two calls pass, wherever $_SERVER is built in between, and whatever the application writes into it. */
	foreach ([['call=1', 'build', 'call=3', 'call=1'], ['build', 'call=1', 'call=1', 'call=1'], ['call=1', 'call=1', 'build', 'call=1']] as $i => $do) {
		$did = $get("/page$i", '192.0.2.1', $do);
		same(2, array_sum(array_filter($did, 'is_int')), "$set: " . implode(' ', $do));
		same([0], $get("/PAGE$i", '192.0.2.1', ['call=1']), "$set: the next request of the path");
		same([2], $get("/page$i", '192.0.2.2', ['call=3']), "$set: another client");
		same([2], $get("/other$i", '192.0.2.1', ['call=3']), "$set: another path");
	}
	/* A setting that changes during the request. */
	same([1, '2001:db8::/64', true, '2001:db8::1/128', 2], array_map(fn ($x) => $x === '2001:db8::1' ? "$x/128" : $x,
		$get('/prefix', '2001:db8::1', ['call=1', 'client', 'prefix=128', 'client', 'call=3'])), "$set: ratelimit.ipv6_prefix");
	$forwarded = ['HTTP_X_FORWARDED_FOR' => '198.51.100.7'];
	same([2, true, 2, true, 0], $get('/trust', '192.0.2.1', ['call=3', 'trust=192.0.2.0/24', 'call=3', 'trust=', 'call=1'], $forwarded),
		"$set: ratelimit.trusted_proxies");
	same([0], $get('/trust', '198.51.100.7', ['call=1'], $forwarded), "$set: the client behind the proxy");
	same([true, 2], $get('/absent', '192.0.2.1', ['trust=192.0.2.0/24', 'call=3']), "$set: a proxy without the header");
	unset($site);
}

/* A variable of the pool's environment alone is in $_SERVER, too. */
$fpm = new Fpm([], ['www' => ['env[REMOTE_ADDR]' => '198.51.100.9']]);
$parameters = ['SCRIPT_FILENAME' => "$folder/index.php", 'SCRIPT_NAME' => '/index.php', 'REQUEST_METHOD' => 'GET', 'REQUEST_URI' => '/environment'];
foreach ([[['client', 'call=3'], ['198.51.100.9', 2]], [['call=1', 'build'], [0, '198.51.100.9']]] as [$do, $expected]) {
	[, , $body] = $fpm->request(['QUERY_STRING' => http_build_query(['do' => $do])] + $parameters);
	same($expected, json_decode($body, true), 'a client of the environment');
}
done();
?>
--EXPECT--
done
