--TEST--
ratelimit.php undoes each action by a button, with the end of the ban that ran; its search finds identities and names
--EXTENSIONS--
ratelimit
session
--FILE--
<?php
require __DIR__ . '/page.inc';

$folder = temp_folder(0755);
file_put_contents("$folder/limiters.ini", "[api]\nhour = fixed:1/1h\n");
touch("$folder/limiters.ini", time() - 10);
$server = app(['ratelimit.limiters' => "$folder/limiters.ini", 'log_errors' => '1', 'error_log' => "$folder/log"], 4, ['RATELIMIT_PASSWORD' => PASSWORD]);
$admin = $server->visitor();
log_in($admin);
$path = '/ratelimit.php';
/* Presses the button behind the message, as the page has it. Returns the page's next message. */
$undo = function () use ($admin, &$page, $path): ?string {
	if (!preg_match('~<div class="answered.*?<form method="post">(.*?)</form>~s', $page->body, $found)) {
		return null;
	}
	preg_match_all('~name="(\w+)" value="([^"]*)"~', $found[1], $fields);
	same(303, $admin->post($path, array_map(fn (string $html): string => html_entity_decode($html, ENT_QUOTES | ENT_HTML5), array_combine($fields[1], $fields[2])))->status, 'pressed');
	$page = $admin->get($path);
	return said($page);
};
$press = function (string $do, array $fields) use ($admin, &$page, $path): ?string {
	$admin->post($path, ['do' => $do, 'token' => token($admin->get($path))] + $fields);
	$page = $admin->get($path);
	return said($page);
};
$api = fn (string $id, array $more = []): array => ['name' => 'api', 'id' => $id, 'kind' => 'limiter'] + $more;
$bans = fn (): string => part($admin, 'bans');

same('Banned for 1h: api, bob.', $press('ban', $api('bob', ['for' => '1h'])), 'a ban');
same(['The ban is lifted: api, bob.', false], [$undo(), str_contains($bans(), 'bob')], 'is undone');
ok(preg_match('/^Banned for 3(600|59\d)s: api, bob\.$/', (string) $undo()) === 1, 'which is undone, too: ' . said($page));
same('Banned for 10s: api, bob.', $press('ban', $api('bob', ['for' => '10s'])), 'a shorter one');
ok(preg_match('/^Banned for 3(600|59\d|58\d)s: api, bob\.$/', (string) $undo()) === 1 && preg_match('/bob api Limiter (59:\d\d|1:00:00)/', $bans()) === 1, 'the one before it runs again: ' . $bans());
same('Forgotten: api, bob.', $press('forget', $api('bob')), 'forgotten');
ok(str_starts_with((string) $undo(), 'Banned for 35') || str_starts_with((string) said($page), 'Banned for 36'), 'its ban runs again: ' . said($page));
same('The ban is lifted: api, bob.', $press('unban', $api('bob')), 'lifted');
same(['There was no ban: api, bob.', null], [$press('unban', $api('bob')), $undo()], 'nothing to undo');

/* A network. */
same('Banned for 1h: api, 203.0.113.0/24.', $press('ban', $api('203.0.113.0/24', ['for' => '1h'])), 'a network');
same('The ban is lifted: api, 203.0.113.0/24.', $press('unban', $api('203.0.113.0/24', ['store' => 'general'])), 'lifted from the list');
ok(str_starts_with((string) $undo(), 'Banned for 3'), 'undone');
same(null, $press('look', $api('203.0.113.9')), 'an address of it');
same('banned', watched($admin)[0]['state'], 'is banned again');
same('Hidden: api, 203.0.113.9.', $press('hide', $api('203.0.113.9')), 'hidden');
same([null, 1], [$undo(), count(watched($admin))], 'shown again');
/* The button of a row: its text is that of a client. */
$press('ban', $api('10.0.0.0/8', ['for' => '1h', 'store' => 'general']));
$press('look', $api('10.1.1.1'));
ok(watched($admin)[0]['state'] !== 'banned', 'no network by the text of a row');

/* Found in both lists, by the script, too, and kept by buttons. */
$press('ban', ['name' => 'like', 'id' => 'alice', 'for' => '1h']);
$path = '/ratelimit.php?q=ALI';
$found = $admin->get("$path&live")->body;
ok(str_contains($found, '<code>alice</code>') && !str_contains($found, '<code>10.0.0.0/8</code>') && str_contains($found, 'Nothing is found.'), 'the search');
ok(str_contains($admin->get($path)->body, 'name="q" maxlength="255" value="ALI"'), 'is in its field');
$answer = $admin->post($path, ['do' => 'unban', 'name' => 'like', 'id' => 'alice', 'token' => token($admin->get($path))]);
same([303, '/ratelimit.php?q=ALI'], [$answer->status, $answer->header('location')], 'the way back');
ok(!str_contains($admin->get('/ratelimit.php?live&q=%3Cscript%3E')->body, '<script>'), 'escaped');

/* The log has each change. */
$lines = array_map(fn (string $line): string => preg_replace('/^.*ratelimit: 127\.0\.0\.1, on the page, | for \d+s? /', '', preg_replace('/for \w+ /', '', $line)), file("$folder/log", FILE_IGNORE_NEW_LINES));
same(['banned from api: bob', 'lifted the ban from api: bob', 'banned from api: bob', 'banned from api: bob', 'banned from api: bob', 'reset api: bob', 'banned from api: bob', 'lifted the ban from api: bob',
	'banned from api: 203.0.113.0/24', 'lifted the ban from api: 203.0.113.0/24', 'banned from api: 203.0.113.0/24', 'banned from api: 10.0.0.0/8', 'banned from like: alice', 'lifted the ban from like: alice'], $lines, 'the lines');
done();
?>
--EXPECT--
done
