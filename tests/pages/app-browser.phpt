--TEST--
The application works in a browser: buttons, refusals, countdown, users, languages, narrow screens
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/browser.inc';
require __DIR__ . '/../include/tools.inc';
needs_browser();
needs_tool('simclock.so');
?>
--FILE--
<?php
require __DIR__ . '/../include/browser.inc';
require __DIR__ . '/../include/simclock.inc';
require __DIR__ . '/app.inc';

/* The server's clocks advance on command, so that the test need not wait half a minute. */
$time = new SimClock((int) (microtime(true) * 1e6));
$time->run();
$server = app(environment: $time->environment());
$browser = new Browser();

$becomes = function (string $selector, ?string $text) use ($browser): void {
	eventually(fn () => $browser->text($selector) === $text, 10);
	same($text, $browser->text($selector), $selector);
};
$state = function (string $action, string $state) use ($browser): void {
	eventually(fn () => $browser->attribute("#$action", 'data-state') === $state, 10);
	same($state, $browser->attribute("#$action", 'data-state'), "the state of $action");
};
$left = fn (string $action, int $n) => $becomes("#$action .left", (string) $n);
$press = fn (string $action) => $browser->click("#$action .press button.main");
$burst = fn (string $action) => $browser->click("#$action .press button[name=times]");

$browser->open($server->url());
same('May this user do this action now?', $browser->text('h1'), 'the headline');
same(10, $browser->count('.card'), 'ten cards');
same([], $browser->complaints(), 'nothing that the page or its policy complains of');

/* Comments: the remaining number, marks, and the refusal. */
$left('comment', 10);
$becomes('#comment .when', 'nothing used yet');
for ($n = 9; $n >= 7; $n--) {
	$press('comment');
	$left('comment', $n);
}
same(7, $browser->count('#comment .permits i.free'), 'marks');
same(10, $browser->count('#comment .permits i'), 'of ten');
ok(preg_match('/^all back in 0:\d\d$/', $browser->text('#comment .when')) === 1, 'when: ' . $browser->text('#comment .when'));
same('none', $browser->js('return getComputedStyle(document.querySelector("#comment .why")).display'), 'nothing was refused');
$burst('comment');
$becomes('#comment .why', 'Too often.');
$left('comment', 0);
$state('comment', 'limited');
same('block', $browser->js('return getComputedStyle(document.querySelector("#comment .why")).display'), 'which is seen');

/* Counting down; and when it is over the page finds out by itself, and the next press passes. */
$clock = $browser->text('#comment .clock');
ok(preg_match('/^0:\d\d$/', $clock) === 1, "again in $clock");
ok(eventually(fn () => $browser->text('#comment .clock') !== $clock, 10), 'it runs');
$time->advance(27_000_000);
$browser->js('document.dispatchEvent(new Event("visibilitychange"));');
ok(eventually(fn () => preg_match('/^\d\.\d s$|^$/', $browser->text('#comment .clock')) === 1, 10), 'soon: ' . $browser->text('#comment .clock'));
$state('comment', 'open');
$left('comment', 10);
$press('comment');
$left('comment', 9);
$becomes('#comment .why', '');

/* Likes: a ban, as the other user sees it, and lifted. */
$burst('like');
$left('like', 0);
$press('like');
$becomes('#like .why', 'Too often: banned for an hour.');
$state('like', 'banned');
ok(preg_match('/^banned for another (59:\d\d|1:00:0[01])$/', $browser->text('#like .when')) === 1, $browser->text('#like .when'));
$browser->follow('a[href="/?user=8"]');
same('User 7: banned', $browser->text('#like .others'), 'user 8 sees it');
$left('like', 10);
$press('like');
$left('like', 9);
ok(str_contains($browser->text('#comment pre'), "doHandle('comment', 8,"), 'the call of user 8');
$browser->follow('a[href="/?user=7"]');
$state('like', 'banned');
$browser->click('#like header button');
$state('like', 'open');
$press('like');
$left('like', 9);

/* The others. */
for ($n = 75; $n >= 0; $n -= 25) {
	$burst('upload');
	$left('upload', $n);
}
$press('upload');
$becomes('#upload .why', 'More than a day allows: not before midnight.');
$state('upload', 'banned');
for ($n = 20; $n >= 0; $n -= 10) {
	$burst('visit');
	$left('visit', $n);
}
$press('visit');
$becomes('#visit .why', 'Too many visits: 30 a minute are used up.');
$burst('conversation');
$left('conversation', 0);
$press('conversation');
$becomes('#conversation .why', 'All 10 of this hour are used up.');

/* Messages: booked, refused, the next free moment taken, withdrawn. */
$press('schedule');
ok(eventually(fn () => $browser->count('#schedule li') === 1, 10), 'one is waiting');
ok(str_ends_with($browser->text('#schedule li span'), '11:11:11'), 'at the moment asked for');
$press('schedule');
$becomes('#schedule .why', 'Another one goes out within a minute of that.');
ok(str_ends_with($browser->text('#schedule .next span'), '11:12:11'), $browser->text('#schedule .next span'));
$browser->click('#schedule .next button');
ok(eventually(fn () => $browser->count('#schedule li') === 2, 10), 'two are waiting');
$becomes('#schedule .why', '');
$asked = 'return performance.getEntriesByName(location.origin + "/api/state").length;';
$before = $browser->js('document.querySelector("#schedule li button").focus(); document.dispatchEvent(new Event("visibilitychange")); ' . $asked);
ok(eventually(fn () => $browser->js($asked) > $before, 10), 'the page asks what is left');
same(true, $browser->js('return document.activeElement.matches("#schedule li button")'), 'and whoever is on a button stays there');
$browser->click('#schedule li button');
ok(eventually(fn () => $browser->count('#schedule li') === 1, 10), 'one is withdrawn');
$browser->click('#schedule header button');
ok(eventually(fn () => $browser->count('#schedule li') === 0, 10), 'and all are');
$becomes('#schedule .booked .none', 'None is waiting.');

/* The log of the calls. */
ok($browser->count('.calls li') > 20, 'the calls');
ok(preg_match('/^\d\d:\d\d:\d\d\s+User 7\s+Scheduled message\s+accepted\s+worker \d+\s+(\d+ µs|\d+\.\d ms)$/', $browser->text('.calls li')) === 1,
	'the latest: ' . $browser->text('.calls li'));
ok(preg_match('/^[2-5] PHP workers have answered/', $browser->text('.workers')) === 1, 'workers: ' . $browser->text('.workers'));
foreach ([[23, 'redis', '23 µs'], [7_902, 'local', '7.9 ms · this machine'], [126_165, 'local', '126.2 ms · this machine'], [3_005_836, 'redis', '3.0 s']] as [$us, $decided, $text]) {
	$browser->js('showCall({action: "report", accepted: true, worker: 1234567, user: 7, now: 1, us: arguments[0], store: arguments[1]});', $us, $decided);
	same($text, $browser->text('.calls li .us'), "a call of $us µs");
	same([], $browser->js('return [...document.querySelectorAll(".calls li:first-child span")].filter((e) => e.scrollWidth > e.clientWidth
		|| e.getBoundingClientRect().right > document.querySelector(".calls ol").getBoundingClientRect().right).map((e) => e.className);'), "$text is seen whole");
}
$browser->js('const link = document.createElement("a"); link.href = "/"; document.querySelector("footer").append(link);');
same($browser->js('return getComputedStyle(document.querySelector("footer")).color;'), $browser->js('return getComputedStyle(document.querySelector("footer a")).color;'), 'a link of the page\'s own colour');
$browser->size(390, 844);
foreach (['like', 'search'] as $action) {
	same(true, $browser->js("document.querySelector('#$action .main').scrollIntoView({block: 'center'});
		const {top, bottom} = document.querySelector('.calls li').getBoundingClientRect(); return top >= 0 && bottom <= innerHeight;"), "on a phone the latest call is in sight of the button: $action");
}
$browser->size(1280, 900);
foreach ($browser->complaints() as $complaint) {
	ok(str_contains($complaint, ' 429 '), "the browser complains of refusals alone: $complaint");
}

/* Chinese, with the same counts; and no screen too narrow. */
$browser->follow('a[hreflang=zh]');
same('zh-CN', $browser->attribute('html', 'lang'), 'the language');
same('这个用户现在可以做这件事吗？', $browser->text('h1'), 'the headline');
$press('conversation');
$becomes('#conversation .why', '本小时的 10 次已用完。');
$press('upload');
$becomes('#upload .why', '超出今日上线');
foreach ([320, 390, 768, 1280] as $width) {
	$browser->size($width, 844);
	ok(!$browser->overflows(), "Chinese fits into $width");
}
$browser->follow('a[hreflang=en]');
foreach ([320, 390, 768, 1280] as $width) {
	$browser->size($width, 844);
	ok(!$browser->overflows(), "English fits into $width");
	same([], $browser->small(), "at $width each control has 24 pixels");
}

/* Without JavaScript: each press leads to the page anew. */
$browser->scripting(false);
$likes = fn (): ?string => preg_match('~id="like".*?<b class="left">(\d+)<~s', $browser->source(), $found) ? $found[1] : null;
$browser->follow('#like header button');
same('10', $likes(), 'a form forgets');
$browser->follow('#like .press button.main');
same('9', $likes(), 'and counts');
$browser->follow('#like .press button[name=times]');
ok(str_contains($browser->source(), 'Too often: banned for an hour.'), 'and is refused');
$browser->scripting(true);

/* A dead server is reported, too. */
$browser->open($server->url());
$server->stop();
$press('comment');
$becomes('#comment .why', 'The server does not answer.');
same([], $server->complaints(), 'PHP complained of nothing');
done();
?>
--EXPECT--
done
