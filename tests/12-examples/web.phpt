--TEST--
examples/index.php: each page answers, and 429 when it is too often
--EXTENSIONS--
ratelimit
pcntl
--FILE--
<?php
require __DIR__ . '/examples.inc';

/** One request, in a process of its own as on a web server: [status, body]. */
function request(string $uri): array
{
	return in_processes(1, function () use ($uri): array {
		$_SERVER['REQUEST_URI'] = $uri;
		$_SERVER['REMOTE_ADDR'] = '192.0.2.1';
		parse_str((string) parse_url($uri, PHP_URL_QUERY), $_GET);
		ob_start();
		require __DIR__ . '/../../examples/index.php';
		return [http_response_code(), ob_get_clean()];
	})[0];
}

function page(string $uri, int $status, array $facts): void
{
	[$actual, $body] = request($uri);
	same($status, $actual, $uri);
	$body = json_decode($body, true);
	foreach ($facts as $name => $value) {
		same($value, $body[$name] ?? null, "$uri: $name");
	}
}

[$status, $list] = request('/');
same(200, $status, '/');
same(404, request('/nothing')[0], '/nothing');

for ($i = 0; $i < 10; $i++) {
	page('/comment?user=7', 200, ['ok' => true]);
}
page('/comment?user=7', 429, ['ok' => false, 'message' => '过于频繁']);
ok(request('/comment')[0] === 400 && str_contains(request('/comment')[1], '非法参数'), '/comment without a user');
page('/comment?user[]=7', 400, ['ok' => false]);

page('/like?user=7', 200, ['ok' => true]);
page('/upload?user=7', 200, ['ok' => true]);
page('/page?user=7', 200, ['ok' => true, 'reason' => 'accepted', 'limit' => 100, 'remaining' => 99, 'store' => 'shm']);
page('/page/exact?user=7', 200, ['remaining' => 99]);
page('/reply?user=laoqian', 200, ['ok' => true]);
page('/conversation?user=7', 200, ['name' => 'hour', 'remaining' => 9]);
page('/schedule?user=7&at=tomorrow+11:11:11', 200, ['ok' => true, 'name' => 'minute', 'remaining' => 0]);
page('/schedule?user=7&at=tomorrow+11:11:12', 429, ['reason' => 'limited', 'name' => 'minute']);
page('/withdraw?user=7&at=tomorrow+11:11:11', 200, ['ok' => true]);
page('/withdraw?user=7&at=tomorrow+11:11:11', 200, ['ok' => false]);
page('/schedule?user=7&at=yesterday', 400, ['ok' => false]);
page('/schedule?user=7&at=rubbish', 400, ['ok' => false]);
page('/api', 200, ['name' => 'api', 'limit' => 10]);
page('/stats', 200, ['store' => 'shm:']);

// Every page that the list names is one.
preg_match_all('~^\s*(/\S+)~m', $list, $found);
ok(count($found[1]) >= 10, 'the list names the pages');
foreach ($found[1] as $uri) {
	ok(in_array(request($uri)[0], [200, 429], true), "$uri is a page");
}

done();
?>
--EXPECT--
done
