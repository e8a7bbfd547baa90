--TEST--
ratelimit.php shows each warning about the settings, as text, and asks for the password without a box in a box
--EXTENSIONS--
ratelimit
session
--FILE--
<?php
require __DIR__ . '/page.inc';

$path = temp_folder() . '/<nowhere>/segment';
$server = app(['ratelimit.shm_path' => $path, 'ratelimit.store' => 'redi://localhost', 'display_startup_errors' => '0', 'log_errors' => '0'], 1, ['RATELIMIT_PASSWORD' => PASSWORD]);
$visitor = $server->visitor();
$login = $visitor->get('/ratelimit.php')->body;
ok(!str_contains($login, 'Warning'), 'nothing before the login');
same(1, substr_count($login, 'class="login"'), 'one box');
/* Counted in memory: the login works. */
same(303, log_in($visitor)->status, 'in');
$body = $visitor->get('/ratelimit.php')->body;
same(2, preg_match_all('~<p class="warning" role="alert">Warning: (.*?)</p>~', $body, $found), 'two warnings');
foreach (expected_texts() as $i => $text) {
	ok(str_contains(html_entity_decode($found[1][$i], ENT_QUOTES | ENT_HTML5), $text), "the text: {$found[1][$i]}");
}
ok(str_contains($body, '&lt;nowhere&gt;') && !str_contains($body, '<nowhere>'), 'is text');
ok(str_contains($body, 'segment: memory'), 'the segment');

/* A form without the button's name, as password managers send it, logs in, too. */
$other = $server->visitor();
same(303, $other->post('/ratelimit.php', ['password' => PASSWORD, 'token' => token($other->get('/ratelimit.php'))])->status, 'a login without its button');

/* Without a segment: nobody logs in, and who is in sees why. */
$sessions = temp_folder();
$ini = ['session.save_path' => $sessions, 'display_startup_errors' => '0', 'log_errors' => '0'];
$visitor = app($ini, 1, ['RATELIMIT_PASSWORD' => PASSWORD])->visitor();
log_in($visitor);
foreach (['allow', 'deny', 'throw'] as $policy) {
	$none = app($ini + ['ratelimit.shm_path' => $path, 'ratelimit.on_failure' => $policy], 1, ['RATELIMIT_PASSWORD' => PASSWORD]);
	same(503, log_in($none->visitor())->status, "$policy: no login");
	$admin = $none->visitor();
	$admin->cookies = $visitor->cookies;
	$page = $admin->get('/ratelimit.php');
	same([200, 1], [$page->status, substr_count($page->body, 'class="warning"')], "$policy: the warning");
	ok(str_contains($page->body, 'segment: none') && str_contains($page->body, '</html>'), "$policy: the whole page");
	same(200, $admin->get('/ratelimit.php?live')->status, "$policy: its numbers");
}
done();

function expected_texts(): array
{
	return ['"shm:" is used instead, so limits hold on this machine only', '<nowhere>/segment: No such file or directory. Counts are kept in memory'];
}
?>
--EXPECT--
done
