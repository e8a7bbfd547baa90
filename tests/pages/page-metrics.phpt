--TEST--
ratelimit.php?metrics serves the counters to the bearer of the token alone, without a session
--EXTENSIONS--
ratelimit
session
--FILE--
<?php
require __DIR__ . '/page.inc';

const TOKEN = 'a-token-of-more-than-16-characters';
$get = fn (WebServer $server, ?string $authorization): Page => $server->visitor($authorization === null ? [] : ['Authorization' => $authorization])->get('/ratelimit.php?metrics');

$server = app([], 2, ['RATELIMIT_METRICS_TOKEN' => TOKEN]);
press_until_refused($server->visitor(), '/api/comment', 50);
$page = $get($server, 'Bearer ' . TOKEN);
same([200, 'application/openmetrics-text; version=1.0.0; charset=utf-8', 'no-store', null],
	[$page->status, $page->header('content-type'), $page->header('cache-control'), $page->header('set-cookie')], 'the numbers');
ok(str_ends_with($page->body, "# EOF\n") && str_contains($page->body, 'comment'), 'of the limiters');
foreach ([null, '', 'Bearer', 'Bearer x', 'Bearer ' . TOKEN . 'x', 'Bearer ' . substr(TOKEN, 0, -1), 'Basic ' . base64_encode('x:' . TOKEN), TOKEN] as $wrong) {
	$page = $get($server, $wrong);
	same([401, 'Bearer realm="ratelimit"'], [$page->status, $page->header('www-authenticate')], 'not for ' . json_encode($wrong));
	ok(!str_contains($page->body, 'comment'), 'no number');
}
same(200, $get($server, 'bearer ' . TOKEN)->status, 'the scheme has no case');
same(503, $server->visitor()->get('/ratelimit.php')->status, 'the token opens no page');

/* A session is no token, and a short token is none. */
foreach ([['RATELIMIT_PASSWORD' => PASSWORD], ['RATELIMIT_PASSWORD' => PASSWORD, 'RATELIMIT_METRICS_TOKEN' => 'short']] as $environment) {
	$server = app([], 1, $environment);
	$admin = $server->visitor(['Authorization' => 'Bearer short']);
	same(303, log_in($admin)->status, 'in');
	$page = $admin->get('/ratelimit.php?metrics');
	ok($page->status === 503 && str_contains($page->body, 'at least 16 characters'), "no token: $page->status $page->body");
}
done();
?>
--EXPECT--
done
