--TEST--
ratelimit.php works in a browser: login, live numbers, bans by keyboard, rejected forgeries, escaped names
--EXTENSIONS--
ratelimit
session
--SKIPIF--
<?php
require __DIR__ . '/../include/browser.inc';
needs_browser();
?>
--FILE--
<?php
require __DIR__ . '/../include/browser.inc';
require __DIR__ . '/page.inc';

$server = app([], 4, ['RATELIMIT_PASSWORD' => PASSWORD]);
$user = $server->visitor();
$browser = new Browser();
$becomes = function (string $selector, string $pattern) use ($browser): void {
	eventually(fn () => preg_match($pattern, (string) $browser->text($selector)) === 1, 10);
	ok(preg_match($pattern, (string) $browser->text($selector)) === 1, "$selector: " . $browser->text($selector));
};
$look = function (string $name, string $id, string $limits) use ($browser): void {
	$browser->type('.look [name=name]', $name);
	$browser->type('.look [name=id]', $id);
	$browser->type('.look [name=limits]', $limits);
	$browser->follow('.look button.main');
};

/* In. */
$browser->open($server->url('/ratelimit.php'));
$browser->type('[name=password]', 'wrong');
$browser->follow('button.main');
same('The password is wrong.', $browser->text('.said'), 'a wrong password');
$browser->type('[name=password]', PASSWORD);
$browser->follow('button.main');
$becomes('.answer', '/^No call was decided|^None of the/');

/* The numbers follow the decisions; nothing that has the focus changes. */
press_until_refused($user, '/api/comment', 50);
$becomes('.answer', '/^Calls are being refused since \d\d:\d\d: 1 of the 1\d of the last hour/');
$becomes('.top tbody', '/^7\s+comment doHandle\(\)\s+1\s/');
ok($browser->count('.hour rect.refused') > 0, 'a bar of the chart');
$browser->js('document.querySelector(".look [name=limits]").focus();');
$browser->type('.look [name=limits]', '1/1s');
press_until_refused($user, '/api/visit', 50);
$becomes('.answer', '/: 2 of the 4\d of/');
same('1/1s', $browser->js('return document.activeElement.value;'), 'a field keeps what is typed');
$before = $browser->text('.top');
$browser->js('document.querySelector(".top button").focus();');
press_until_refused($user, '/api/conversation', 50);
$becomes('.answer', '/: 3 of the 5\d of/');
same($before, $browser->text('.top'), 'a list stays while one of its buttons has the focus');

/* By keyboard: the ban of a row. */
same('Ban for 1h', $browser->text('.top tbody button'), 'a button');
$browser->js('document.querySelector(".top tbody button").focus();');
$root = $browser->js('return performance.timeOrigin;');
$browser->press("\u{E007}");
ok(eventually(fn () => $browser->js('return performance.timeOrigin;') !== $root && $browser->text('.said') !== null, 20), 'the enter key presses it');
ok(preg_match('/^Banned for 1h: \w+, 7\.$/', $browser->text('.said')) === 1, 'a message: ' . $browser->text('.said'));
$banned = preg_replace('/^Banned for 1h: (\w+),.*/', '$1', $browser->text('.said'));
$becomes('.bans tbody', "/^7\\s+$banned /");
$browser->follow('.bans button');
same("The ban is lifted: $banned, 7.", $browser->text('.said'), 'lifted from the list');

/* A ban: looked up, counting down, lifted. */
press_until_refused($user, '/api/like', 50);
$look('like', '7', '10/10s');
$becomes('.watched .state', '/^banned$/');
$becomes('.watched time', '/^for (59:\d\d|1:00:00)$/');
$clock = $browser->text('.watched time');
ok(eventually(fn () => $browser->text('.watched time') !== $clock, 10), 'the clock runs');
$browser->follow('.watched [value=unban]');
same('The ban is lifted: like, 7.', $browser->text('.said'), 'lifted');
$becomes('.watched .state', '/nothing counted$/');
same(0, $browser->count('.watched tr:first-child [value=unban]'), 'there is no ban to lift');
same(200, $user->post('/api/like')->status, 'the user goes on');

/* A manual ban, and a reset. */
$look('conversation', '7', 'calendar:10/hour@' . date_default_timezone_get());
$browser->type('.watched [name=for]', '2h');
$browser->follow('.watched [value=ban]');
same('Banned for 2h: conversation, 7.', $browser->text('.said'), 'banned');
$becomes('.watched .state', '/banned$/');
same(429, $user->post('/api/conversation')->status, 'as the user feels');
$browser->follow('.watched [value=forget]');
same('Forgotten: conversation, 7.', $browser->text('.said'), 'forgotten');
same(200, $user->post('/api/conversation')->status, 'and the user goes on');
$browser->follow('.watched [value=hide]');
same(1, $browser->count('.watched tbody tr'), 'one less');
$look('conversation', '7', '10/1');
ok(str_contains($browser->text('.said'), 'a duration looks like'), 'what is wrong: ' . $browser->text('.said'));
same('10/1', $browser->js('return document.querySelector(".look [name=limits]").value'), 'can be mended');

/* Names that are scripts: a dialog would make the next command fail. */
$evil = '"><script>window.pwned = 1; alert(1)</script>';
$look($evil, '<img src=x onerror="window.pwned = 1; alert(2)">', '10/30s');
same($evil, $browser->text('.watched tbody td'), 'text');
$browser->follow('.watched [value=forget]');
ok(str_contains($browser->text('.said'), '<script>'), 'in a message, too');
$becomes('.watched .state', '/nothing counted$/');
same([null, 0], [$browser->js('return window.pwned ?? null'), $browser->count('img, body script:not([nonce])')], 'nothing has run');
same([], array_filter($browser->complaints(), fn ($complaint) => !str_contains($complaint, ' 403 ')), 'nothing the policy had to refuse');

/* A forged form. */
$browser->js('document.querySelector(".watched td [name=token]").value = "0".repeat(64);');
$browser->follow('.watched [value=forget]');
same('The form has expired. Please try again.', $browser->text('.said'), 'refused');
$browser->open($server->url('/ratelimit.php'));
$becomes('.answer', '/^Calls are/');

foreach ([320, 390, 768, 1280] as $width) {
	$browser->size($width, 844);
	ok(!$browser->overflows(), "it fits into $width");
	same([], $browser->small(), "at $width each control has 24 pixels");
}
$browser->click('.numbers summary');
ok(str_contains($browser->text('.numbers'), 'evictions'), 'all numbers');
$browser->follow('[value=logout]');
same(1, $browser->count('[name=password]'), 'out');
same([], $server->complaints(), 'PHP complained of nothing');
done();
?>
--EXPECT--
done
