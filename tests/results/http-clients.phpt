--TEST--
The clients of docs/http.md wait as the headers say, and clients and parsers of npm read what its table says
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
$folder = (string) getenv('STRUCTURED_FIELDS');
if ($folder === '' || !is_dir("$folder/node_modules/@octokit/plugin-throttling")) {
	die('skip there are no parsers: STRUCTURED_FIELDS names no folder where "npm install" was run with this folder\'s package.json (scripts/test.sh all does it, where npm is)');
}
if (!shell_exec('python3 -c "import urllib3; print(1)" 2>/dev/null')) {
	die('skip Python has no urllib3');
}
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../attribute/request.inc';

/* Two calls in half a second, and bytes of which there are enough. */
$site = new PhpSite(site_folder(<<<'PHP'
	use FrequencyLimit\{Limit, Limiter, Reason, Result};
	if (isset($_GET['answer'])) {
		$result = $_GET['answer'] === 'refused' ? Result::of(Reason::Limited, 5, 0, retryAfter: 60, name: 'minute') : Result::of(limit: 5, remaining: 3, resetAfter: 60, name: 'minute');
		foreach ($result->headers($_GET['headers'] === 'legacy') as $name => $value) {
			header("$name: $value");
		}
		http_response_code((int) ($_GET['status'] ?? $result->status()));
		exit('{}');
	}
	$who = $_GET['who'];
	$limiter = new Limiter('api', Limit::fixedWindow(2, 0.5)->named('half, "a second"')->unit('tokens'));
	$result = $limiter->consume($who);
	$result->send();
	PHP));
$page = file_get_contents(__DIR__ . '/../../docs/http.md');
$block = fn (string $language): string => preg_match("/^```$language\n(.*?)^```$/ms", $page, $found) ? $found[1] : '';
$folder = temp_folder();
symlink(realpath(getenv('STRUCTURED_FIELDS')) . '/node_modules', "$folder/node_modules");
$url = "http://$site->address/?who=";
file_put_contents("$folder/client.mjs", $block('javascript') . <<<JS
	const left = [];
	for (let i = 0; i < 5; i++) {
		const response = await patientFetch('{$url}javascript');
		left.push([response.status, ...quotas(response.headers).map((q) => [q.name, q.limit, q.remaining, q.unit, q.seconds])]);
	}
	const refused = [await patientFetch('{$url}once', {}, 1), await patientFetch('{$url}once', {}, 1), await patientFetch('{$url}once', {}, 1)].map((r) => r.status);
	/* Waits that no client should begin: none is told, or one of months. */
	const asked = [];
	for (const wait of [undefined, 5184000]) {
		let n = 0;
		globalThis.fetch = async () => (n++, new Response('', { status: 429, headers: wait ? { 'Retry-After': wait } : {} }));
		asked.push([(await patientFetch('')).status, n]);
	}
	console.log(JSON.stringify([left, refused, asked]));
	JS);
[$exit, $output] = run_command(['node', "$folder/client.mjs"]);
same(0, $exit, "JavaScript: $output");
[$left, $refused, $asked] = json_decode($output, true);
same([[429, 1], [429, 1]], $asked, 'JavaScript: no second try where none can pass soon');
same([200, 200, 200, 200, 200], array_column($left, 0), 'JavaScript: each call passes in the end');
same(['half, "a second"', 2, 1, 'tokens', 1], $left[0][1], 'JavaScript: what is left');
same([200, 200, 429], $refused, 'JavaScript: without a second try');

/* The table "What clients read". Their own waits are added, or bound them. */
[$exit, $output] = run_command(['node', __DIR__ . '/clients.mjs', realpath(getenv('STRUCTURED_FIELDS')), "http://$site->address/?answer="]);
same(0, $exit, "the clients of npm: $output");
foreach (json_decode($output, true) as $headers => $read) {
	foreach (['ky' => [60, 60], 'got' => [60, 60], 'axios-retry' => [60, 72], 'undici' => [30, 30]] as $client => [$least, $most]) {
		between($least, $read[$client], $most, "$client waits, $headers headers");
	}
	$octokit = $read['@octokit/plugin-throttling'];
	ok($headers === 'legacy' ? $octokit >= 60 && $octokit <= 63 : $octokit < 59, "Octokit waits for X-RateLimit-Reset: $octokit, $headers headers");
	same($headers === 'legacy' ? [[5, 0, 60], [5, 3, 60]] : array_fill(0, 2, [null, null, null]), $read['ratelimit-header-parser'], "ratelimit-header-parser: $headers headers");
	same([['minute', 3, 60]], $read['structured-headers'], "structured-headers: $headers headers");
}

file_put_contents("$folder/client.py", $block('python') . <<<PY

	import json
	left = []
	for _ in range(5):
	    response = http.request('GET', '{$url}python')
	    left.append([response.status, [list(q.values()) for q in quotas(response.headers)]])
	print(json.dumps(left))
	PY);
[$exit, $output] = run_command(['python3', "$folder/client.py"]);
same(0, $exit, "Python: $output");
$left = json_decode($output, true);
same([200, 200, 200, 200, 200], array_column($left, 0), 'Python: each call passes in the end');
same([['half, "a second"', 1, 1, 2, 'tokens']], $left[0][1], 'Python: what is left');
done();
?>
--EXPECT--
done
