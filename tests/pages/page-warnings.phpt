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
done();

function expected_texts(): array
{
	return ['"shm:" is used instead, so limits hold on this machine only', '<nowhere>/segment: No such file or directory. Counts are kept in memory'];
}
?>
--EXPECT--
done
