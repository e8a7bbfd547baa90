--TEST--
The application works without JavaScript in both languages, and rejects forged forms
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/app.inc';
$server = app();

/* The language: the link's, else the cookie's, else the browser's. */
$says = fn (Page $page): string => preg_match('~<h1>(.*?)</h1>~', $page->body, $found) ? $found[1] : $page->body;
$english = 'May this user do this action now?';
$chinese = '这个用户现在可以做这件事吗？';
foreach (['' => $english, 'de' => $english, 'zh-CN,zh;q=0.9,en;q=0.8' => $chinese, 'en;q=0.3, zh-TW;q=0.5' => $chinese,
	'en-GB,zh;q=0.2' => $english, ';;q=x,,' => $english] as $accepted => $headline) {
	same($headline, $says($server->visitor()->get('/', ['Accept-Language' => $accepted])), "Accept-Language: $accepted");
}
$visitor = $server->visitor();
$page = $visitor->get('/?lang=zh');
same([303, '/'], [$page->status, $page->header('location')], 'a choice is remembered');
same($chinese, $says($visitor->get('/', ['Accept-Language' => 'en'])), 'whatever the browser likes');
$visitor->get('/?user=8');
ok(str_contains($visitor->get('/')->body, "doHandle(&#039;comment&#039;, 8,"), 'and so is the user');
foreach (['9', 'abc', '-1', '07', '100000000000000000000', ''] as $user) {
	same(400, $visitor->get("/?user=$user")->status, "there is no user $user");
	same(400, $visitor->post("/api/comment?user=$user")->status, "nor in the API: $user");
}
same(400, $server->visitor()->get('/?user[]=7')->status, 'a list is no user');
same(303, $server->visitor()->get('/?lang[]=zh')->status, 'nor a language');
same(303, $visitor->get('/?lang=xx')->status, 'an unknown language is the browser\'s');
foreach (['0', '101', '-1', 'x', '1e1', '', '9999'] as $times) {
	same(400, $visitor->post('/api/comment', ['times' => $times])->status, "times $times");
}
same(10, card($visitor, 'comment')['left'], 'nothing was counted');

/* Forms. */
$visitor = $server->visitor(['Cookie' => 'lang=en']);
$page = $visitor->post('/comment');
same([303, '/#comment'], [$page->status, $page->header('location')], 'a press comes back to the page');
$page = $visitor->post('/comment', ['times' => '10']);
same(429, $page->status, 'ten more are too many');
ok(str_contains($page->body, 'id="comment" data-state="limited" data-refused>'), 'the card says so');
ok(str_contains($page->body, '<p class="why" role="status">Too often.</p>'), 'and why');
ok(preg_match('~again in</span> <time class="clock" data-seconds="[\d.]+">0:\d\d</time>~', $page->body) === 1, 'and when');
ok($page->header('retry-after') !== null, 'with its headers');
same(303, $visitor->post('/forget', ['action' => 'comment'])->status, 'start over');
same(303, $visitor->post('/comment')->status, 'and comment');
same(303, $visitor->post('/schedule', ['at' => date('Y-m-d', time() + 5 * 86400) . 'T10:00'])->status, 'a booking');
ok(preg_match('~<button class="quiet" name="at" value="(\d+)">~', $visitor->get('/')->body, $found) === 1, 'is listed');
same(303, $visitor->post('/withdraw', ['at' => $found[1]])->status, 'withdrawn');
ok(!preg_match('~<button class="quiet" name="at" value="\d+">~', $visitor->get('/')->body), 'and gone');

/* Forged forms. */
same(404, $visitor->get('/nothing')->status, 'no page');
same(404, $visitor->post('/api/nothing')->status, 'no action');
same([405, 'POST'], [$visitor->get('/api/comment')->status, $visitor->get('/api/comment')->header('allow')], 'a look is no press');
same(404, $visitor->get('/index.php/../../Web/Application.php')->status, 'no file but those that are meant');
foreach (['cross-site', 'same-site'] as $site) {
	same(403, $visitor->post('/api/comment', [], ['Sec-Fetch-Site' => $site])->status, "a form of another site ($site)");
}
same(200, $visitor->post('/api/comment', [], ['Sec-Fetch-Site' => 'same-origin'])->status, 'a form of ours');
/* Over http, and not from this machine, browsers send only the origin. */
foreach (['http://evil.test', 'null', 'https://app.test:8080', 'http://app.test.evil.test'] as $origin) {
	same(403, $visitor->post('/api/comment', [], ['Host' => 'app.test', 'Origin' => $origin])->status, "a form of $origin");
}
same(200, $visitor->post('/api/comment', [], ['Host' => 'app.test', 'Origin' => 'http://app.test'])->status, 'a form of ours, by its origin');

/* Impossible moments and names. */
foreach (['-1', '99999999999999999999', 'x', ''] as $at) {
	same(400, $visitor->post('/api/withdraw', ['at' => $at])->status, "withdraw $at");
}
same(false, $visitor->post('/api/withdraw', ['at' => '0'])->json()['accepted'], 'withdraw what was never booked');
foreach (['' => 'Enter a date and a time.', '2001-01-01T00:00' => 'That moment is past.', '2099-01-01T00:00' => 'At most nine years ahead.'] as $at => $why) {
	$page = $visitor->post('/api/schedule', ['at' => $at]);
	same([400, $why], [$page->status, $page->json()['why']], "schedule at $at");
}
same(400, $visitor->post('/api/schedule', ['at' => date('Y', time() + 365 * 86400) . '-02-31T10:10'])->status, 'the 31st of February');
same(400, $visitor->post('/forget', ['action' => "\"\r\nX: y"])->status, 'nothing of that name');
same(404, $visitor->post('/api/redis', ['want' => 'stop'])->status, 'no Redis to stop outside of the demo');

/* The page has no foreign resource and no inline script, and shows a visitor's input as text. */
$page = $server->visitor()->get('/', ['Host' => '"><script>alert(1)</script>']);
ok(!str_contains($page->body, '<script>alert'), 'escaped');
ok(!preg_match('~ on\w+=|javascript:|(src|href)="(https?:)?//| style=|<style~i', $page->body), 'the page is its policy\'s');
ok(str_contains($page->header('content-security-policy'), "default-src 'none'"), 'which it sends');
same('nosniff', $page->header('x-content-type-options'), 'and no guessing');
foreach (['app.css' => 'text/css', 'app.js' => 'javascript', 'icon.svg' => 'image/svg+xml'] as $file => $type) {
	$page = $visitor->get("/$file");
	ok($page->status === 200 && str_contains((string) $page->header('content-type'), $type), "$file: " . $page->header('content-type'));
	ok(!preg_match('~url\(|https?://(?!www\.w3\.org/)|@import~', $page->body), "$file fetches nothing");
}

/* Each text in both languages, with the same places. */
$texts = [];
foreach (['en', 'zh'] as $language) {
	$texts[$language] = require APP . "/Web/texts/$language.php";
}
$told = fn (string $key): bool => preg_match('/^[\x20-\x7e]+$/', $key) !== 1;
same([], array_values(array_filter(array_keys(array_diff_key($texts['en'], $texts['zh'])), fn ($key) => !$told($key))), 'in English alone');
same([], array_keys(array_diff_key($texts['zh'], $texts['en'])), 'in Chinese alone');
foreach ($texts['zh'] as $key => $text) {
	$places = function (string $text): array {
		preg_match_all('/\{\w+\}/', $text, $found);
		sort($found[0]);
		return $found[0];
	};
	same($places($texts['en'][$key]), $places($text), "the places of $key");
}
same([], $server->complaints(), 'PHP complained of nothing');
done();
?>
--EXPECT--
done
