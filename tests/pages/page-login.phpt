--TEST--
ratelimit.php requires a configured password, limits its own login, and checks a token in every form
--EXTENSIONS--
ratelimit
session
--FILE--
<?php
require __DIR__ . '/page.inc';

/* Without a password there is no page, whatever is asked. */
$server = app();
foreach ([[], ['RATELIMIT_PASSWORD' => '']] as $environment) {
	$open = app([], 1, $environment);
	foreach (['/ratelimit.php', '/ratelimit.php?live', '/ratelimit.php?lang=zh'] as $path) {
		$page = $open->visitor()->get($path);
		same(503, $page->status, "$path without a password");
		ok(str_contains($page->body, 'has no password') && !str_contains($page->body, 'bans'), "$path says so: $page->body");
	}
	same(503, $open->visitor()->post('/ratelimit.php', ['do' => 'login', 'password' => ''])->status, 'nor a login');
	/* A client's input is no configuration. */
	same(503, $open->visitor(['RATELIMIT-PASSWORD' => 'x', 'RATELIMIT_PASSWORD' => 'x'])->get('/ratelimit.php')->status, 'by a header');
}

$server = app([], 4, ['RATELIMIT_PASSWORD' => PASSWORD]);
$visitor = $server->visitor();
$page = $visitor->get('/ratelimit.php');
same(200, $page->status, 'the form');
ok(token($page) !== '' && !str_contains($page->body, 'Running bans'), 'and no more than that');
same(401, $visitor->get('/ratelimit.php?live')->status, 'no numbers');
foreach (["default-src 'none'", "frame-ancestors 'none'", "form-action 'self'"] as $part) {
	ok(str_contains($page->header('content-security-policy'), $part), "the policy: $part");
}
ok(preg_match("/script-src 'nonce-([\w+\/=]{24})'/", $page->header('content-security-policy'), $nonce) === 1
	&& str_contains($page->body, "<style nonce=\"$nonce[1]\">"), 'a nonce');
ok(!str_contains($server->visitor()->get('/ratelimit.php')->body, $nonce[1]), 'of its own each time');
same(['DENY', 'nosniff', 'no-referrer', 'no-store'], array_map($page->header(...),
	['x-frame-options', 'x-content-type-options', 'referrer-policy', 'cache-control']), 'the other headers');
ok(preg_match('/ratelimit=\w+; path=\/ratelimit\.php; HttpOnly; SameSite=Strict/', $page->header('set-cookie')) === 1,
	'the cookie: ' . $page->header('set-cookie'));

/* A wrong password, a wrong token. */
$page = $visitor->post('/ratelimit.php', ['do' => 'login', 'password' => 'wrong', 'token' => token($visitor->get('/ratelimit.php'))]);
same([403, 'The password is wrong.'], [$page->status, said($page)], 'a wrong password');
foreach ([[], ['token' => ''], ['token' => str_repeat('0', 64)], ['token' => ['x']], ['token' => token($server->visitor()->get('/ratelimit.php'))]] as $fields) {
	$page = $visitor->post('/ratelimit.php', ['do' => 'login', 'password' => PASSWORD] + $fields);
	same(403, $page->status, 'a login with ' . json_encode($fields));
}
same(401, $visitor->get('/ratelimit.php?live')->status, 'nobody is in');

/* In; with a session of a new name. */
$before = $visitor->cookies['ratelimit'];
same(303, log_in($visitor)->status, 'the right password');
ok($visitor->cookies['ratelimit'] !== $before, 'another session');
ok(str_contains($visitor->get('/ratelimit.php')->body, 'Running bans'), 'the page');
same(200, $visitor->get('/ratelimit.php?live')->status, 'and the numbers');
$old = $server->visitor();
$old->cookies['ratelimit'] = $before;
same(401, $old->get('/ratelimit.php?live')->status, 'not for the session that was there before');
$made = $server->visitor();
$made->cookies['ratelimit'] = 'abcdefghijklmnopqrstuvwx12';
$made->get('/ratelimit.php');
ok($made->cookies['ratelimit'] !== 'abcdefghijklmnopqrstuvwx12', 'nobody chooses the name of a session');

/* No button without the token, also when one is in. */

$server->visitor()->post('/api/comment');
foreach (['forget', 'unban', 'look', 'logout'] as $do) {
	$page = $visitor->post('/ratelimit.php', ['do' => $do, 'name' => 'comment', 'id' => '7', 'limits' => '10/30s', 'token' => str_repeat('0', 64)]);
	same(403, $page->status, "$do without the token");
}
same(9, card($server->visitor(), 'comment')['left'], 'nothing was forgotten');
ok(str_contains($visitor->get('/ratelimit.php')->body, 'Running bans'), 'and nobody logged out');

same('There was nothing to forget: nobody, 1.', button($visitor, 'forget', ['name' => 'nobody', 'id' => '1']), 'with it');
$visitor->post('/ratelimit.php', ['do' => 'logout', 'token' => token($visitor->get('/ratelimit.php'))]);
same(401, $visitor->get('/ratelimit.php?live')->status, 'logged out');

/* Under any path, the path changes nothing else of the cookie, and redirects to no other site. */
$anywhere = new WebServer([realpath(__DIR__ . '/../../ratelimit.php')], [], 1, ['RATELIMIT_PASSWORD' => PASSWORD]);
foreach (['/x;domain=example.com;path=/', '/a/x,y', '/%3b', '//evil.test/', '//a//evil.test/', '/\\\\evil.test'] as $path) {
	$stranger = $anywhere->visitor();
	$page = $stranger->get($path);
	ok(preg_match('~^ratelimit=[\w,-]+; path=/[^;, ]*; HttpOnly; SameSite=Strict$~', $page->header('set-cookie')) === 1, "$path: " . $page->header('set-cookie'));
	$page = $stranger->post($path, ['do' => 'login', 'password' => PASSWORD, 'token' => token($page)]);
	same(303, $page->status, "log in at $path");
	ok(preg_match('~^/(?![/\\\\])~', $page->header('location')) === 1, "$path leads to " . $page->header('location'));
}

/* An application's session is its own. */
$auto = app(['session.auto_start' => '1'], 1, ['RATELIMIT_PASSWORD' => PASSWORD]);
$admin = $auto->visitor();
same(303, log_in($admin)->status, 'beside a session that PHP has begun');
ok(str_contains($admin->get('/ratelimit.php')->body, 'Running bans'), 'it stays logged in');
ok(isset($admin->cookies['ratelimit']), 'by its own cookie');

/* Five attempts a minute, whatever session they come with; then not even the right password. */
for ($i = 1; $i <= 5; $i++) {
	same(403, log_in($server->visitor(), "guess $i")->status, "guess $i");
}
$page = log_in($server->visitor());
same(429, $page->status, 'the sixth attempt');
ok(preg_match('/^Too many attempts\. Try again in \d+ s\.$/', said($page)) === 1, 'it says when: ' . said($page));
between(1, (int) $page->header('retry-after'), 60, 'in its header, too');

/* Also where limits only watch, and no policy lets attempts pass. */
$watching = app(['ratelimit.enforce' => '0'], 2, ['RATELIMIT_PASSWORD' => PASSWORD]);
for ($i = 1; $i <= 5; $i++) {
	same(403, log_in($watching->visitor(), "guess $i")->status, "guess $i with ratelimit.enforce=0");
}
$page = log_in($watching->visitor());
same([429, true], [$page->status, (bool) preg_match('/Try again in (\d+) s/', said($page), $found)], 'the sixth attempt with ratelimit.enforce=0');
between(1, (int) $found[1], 60, 'when');
same($found[1], $page->header('retry-after'), 'in its header, too');

/* A hash instead of the password; and a page of one's own that sets it. */
$hashed = app([], 1, ['RATELIMIT_PASSWORD' => password_hash(PASSWORD, PASSWORD_BCRYPT, ['cost' => 4])]);
same(403, log_in($hashed->visitor(), 'wrong')->status, 'not the one that was hashed');
same(303, log_in($hashed->visitor())->status, 'the one that was');
$own = temp_folder() . '/own.php';
file_put_contents($own, '<?php const RATELIMIT_PASSWORD = "mine"; require ' . var_export(realpath(__DIR__ . '/../../ratelimit.php'), true) . ';');
$included = new WebServer([$own], [], 1);
same(303, log_in($included->visitor(), 'mine')->status, 'a constant');
foreach ([$server, $watching, $hashed, $included, $anywhere, $auto] as $each) {
	same([], $each->complaints(), 'PHP complained of nothing');
}
done();
?>
--EXPECT--
done
