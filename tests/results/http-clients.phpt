--TEST--
The clients of docs/http.md, in JavaScript and Python, wait as the headers say, and read what is left
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
$folder = (string) getenv('STRUCTURED_FIELDS');
if ($folder === '' || !is_dir("$folder/node_modules/ratelimit-header-parser")) {
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
	use FrequencyLimit\{Limit, Limiter};
	$who = $_GET['who'];
	$limiter = new Limiter('api', Limit::fixedWindow(2, 0.5)->named('half, "a second"')->unit('tokens'));
	$result = $limiter->consume($who);
	if (isset($_GET['old'])) {
		foreach (array_diff_key($result->headers(legacy: true), $_GET['old'] === 'alone' ? ['RateLimit' => 0] : []) as $name => $value) {
			header("$name: $value");
		}
		http_response_code($result->status());
	} else {
		$result->send();
	}
	PHP));
$page = file_get_contents(__DIR__ . '/../../docs/http.md');
$block = fn (string $language): string => preg_match("/^```$language\n(.*?)^```$/ms", $page, $found) ? $found[1] : '';
$folder = temp_folder();
symlink(realpath(getenv('STRUCTURED_FIELDS')) . '/node_modules', "$folder/node_modules");
$url = "http://$site->address/?who=";
file_put_contents("$folder/client.mjs", $block('javascript') . <<<JS
	import { parseRateLimit } from 'ratelimit-header-parser';
	const left = [];
	for (let i = 0; i < 5; i++) {
		const response = await patientFetch('{$url}javascript');
		left.push([response.status, ...quotas(response.headers).map((q) => [q.name, q.limit, q.remaining, q.unit, q.seconds])]);
	}
	const old = async (how) => { const r = parseRateLimit((await fetch('$url' + how + '&old=' + how)).headers); return [r.limit, r.remaining, r.reset > Date.now() - 5000]; };
	const refused = [await patientFetch('{$url}once', {}, 1), await patientFetch('{$url}once', {}, 1), await patientFetch('{$url}once', {}, 1)].map((r) => r.status);
	console.log(JSON.stringify([left, await old('alone'), await old('both'), refused]));
	JS);
[$exit, $output] = run_command(['node', "$folder/client.mjs"]);
same(0, $exit, "JavaScript: $output");
[$left, $alone, $both, $refused] = json_decode($output, true);
same([200, 200, 200, 200, 200], array_column($left, 0), 'JavaScript: each call passes in the end');
same(['half, "a second"', 2, 1, 'tokens', 1], $left[0][1], 'JavaScript: what is left');
same([2, 1, true], $alone, 'ratelimit-header-parser reads X-RateLimit-* alone');
same([null, null, false], $both, 'and not a number of the present RateLimit');
same([200, 200, 429], $refused, 'JavaScript: without a second try');

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
