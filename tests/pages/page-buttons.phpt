--TEST--
ratelimit.php: buttons look up, reset, ban and unban; errors are shown, names escaped
--EXTENSIONS--
ratelimit
session
--SKIPIF--
<?php require __DIR__ . '/../include/stores.inc'; needs_stores('real', 'redis'); ?>
--FILE--
<?php
/* Presses each button of ratelimit.php. */

require __DIR__ . '/../include/stores.inc';
require __DIR__ . '/page.inc';

function page_scenario(WebServer $server): void
{
	$user = $server->visitor();
	$admin = $server->visitor();
	same(303, log_in($admin)->status, 'in');

	/* A counter: a lookup counts nothing. */
	$user->post('/api/comment');
	$comment = ['name' => 'comment', 'id' => '7', 'limits' => '10/30s'];
	same(null, button($admin, 'look', $comment), 'a look');
	for ($i = 0; $i < 5; $i++) {
		$row = watched($admin)[0];
	}
	same(['free', '9 of 10 left'], [$row['state'], $row['left']], 'nine are left');
	between(1, $row['seconds'], 30.01, 'and when all are back');
	same('Forgotten: comment, 7.', button($admin, 'forget', $comment), 'forgotten');
	same(10, card($user, 'comment')['left'], 'indeed');
	same('There was no ban: comment, 7.', button($admin, 'unban', $comment), 'no ban');

	/* doHandle's ban. */
	press_until_refused($user, '/api/like', 50);
	$like = ['name' => 'like', 'id' => '7', 'limits' => '10/10s'];
	button($admin, 'look', $like);
	$row = watched($admin)[0];
	same(['banned', '0 of 10 left'], [$row['state'], $row['left']], 'banned');
	between(3500, $row['seconds'], 3600.01, 'for an hour');
	same('The ban is lifted: like, 7.', button($admin, 'unban', ['limits' => ''] + $like), 'lifted, whatever the limit was');
	same(200, $user->post('/api/like')->status, 'and the user goes on');

	/* An action is banned by hand, too. */
	same('Banned for 2h: like, 7.', button($admin, 'ban', $like + ['for' => '2h']), 'banned by hand');
	same('banned', watched($admin)[0]['state'], 'as the page shows');
	same(429, $user->post('/api/like')->status, 'and the user sees');
	same('The ban is lifted: like, 7.', button($admin, 'unban', $like), 'lifted');
	button($admin, 'look', ['limits' => ''] + $like);
	same(['not banned', '', null], array_values(array_intersect_key(watched($admin)[0], ['word' => 1, 'left' => 1, 'seconds' => 1])), 'without limits: the ban alone');
	button($admin, 'hide', ['limits' => ''] + $like);

	/* A limiter with two limits. */
	$zone = date_default_timezone_get();
	$talk = ['name' => 'conversation', 'id' => '7', 'limits' => "calendar:10/hour@$zone,name=hour  calendar:30/day@$zone,name=day"];
	$user->post('/api/conversation');
	button($admin, 'look', $talk);
	same(['free', '9 of 10 left (hour)'], [watched($admin)[0]['state'], watched($admin)[0]['left']], 'a limiter');
	same('Banned for 1h: conversation, 7.', button($admin, 'ban', $talk + ['for' => '1h']), 'banned by hand');
	same('banned', card($user, 'conversation')['state'], 'as the user sees');
	same(429, $user->post('/api/conversation')->status, 'and feels');
	same('The ban is lifted: conversation, 7.', button($admin, 'unban', $talk), 'lifted');
	same(9, card($user, 'conversation')['left'], 'the counts have stayed');
	same('Forgotten: conversation, 7.', button($admin, 'forget', ['limits' => '', 'kind' => 'limiter'] + $talk), 'forgotten, without the limits');
	same(10, card($user, 'conversation')['left'], 'indeed');
	same('untouched', watched($admin)[0]['state'], 'nothing is counted');

	/* A lookup of the wrong kind has no "free" for an answer. */
	$wrong = ['limits' => '10/1h'] + $talk;
	button($admin, 'look', $wrong);
	same(['untouched', 'nothing counted', 'a Limiter has this name: tick the box'], [watched($admin)[0]['state'], watched($admin)[0]['word'], watched($admin)[0]['hint']], 'the wrong kind');
	button($admin, 'hide', $wrong);
	ok(str_contains(button($admin, 'look', ['limits' => '', 'kind' => 'limiter'] + $talk), 'The limits are missing'), 'a Limiter that the file does not have');
	same(3, count(watched($admin)), 'three are watched');
	button($admin, 'look', $comment);
	same(3, count(watched($admin)), 'each once');
	button($admin, 'hide', $comment);
	same(2, count(watched($admin)), 'one less');

	/* A mistake gets a message, and changes nothing. */
	foreach (['10' => 'is not a limit', 'many/30s' => 'is not a limit', '10/30' => 'a duration', '10/1.5s' => 'whole seconds',
		'best:10/30s' => 'there is no "best"', 'calendar:10/decade' => 'a calendar counts', 'fixed:10/30s@Europe/Paris' => 'only a calendar',
		'calendar:1/day@Mars/Base' => 'must be a time zone', 'bucket:1/1s,burst=x' => 'a burst is', 'log:5/60s,burst=3' => 'only a bucket', 'log:5/60s,what=1' => 'not an option',
		'10/30s log:5/60s' => "doHandle()'s limit", 'log:99999/1s' => 'must be between 1 and 10000'] as $limits => $why) {
		ok(str_contains((string) button($admin, 'look', ['name' => 'a', 'id' => '1', 'limits' => (string) $limits]), $why), "limits $limits");
	}
	ok(str_contains((string) button($admin, 'look', ['name' => '', 'id' => '1', 'limits' => '1/1s']), 'must be between 1 and 255 bytes'), 'no name');
	ok(str_contains((string) button($admin, 'look', ['name' => str_repeat('x', 256), 'id' => '1', 'limits' => '1/1s']), 'must be between 1 and 255 bytes'), 'a long name');
	ok(str_contains((string) button($admin, 'ban', $talk + ['for' => 'ever']), 'a duration'), 'a ban for ever');
	same('There is no such button.', button($admin, 'drop', $comment), 'no such button');
	same(2, count(watched($admin)), 'nothing more is watched');

	/* Stored names are text. */
	$evil = ['name' => '"><script>alert(1)</script>', 'id' => "'><img src=x onerror=alert(2)>", 'limits' => '10/30s'];
	button($admin, 'look', $evil);
	$body = $admin->get('/ratelimit.php')->body;
	ok(!str_contains($body, '<script>alert') && !str_contains($body, '<img src') && str_contains($body, '&lt;script&gt;alert(1)'), 'escaped');
	ok(str_contains(button($admin, 'forget', $evil), '<script>'), 'and quoted as it is, in a message');
	ok(!str_contains($admin->get('/ratelimit.php')->body, '<script>alert'), 'escaped there, too');

	/* The numbers. */
	ok(preg_match('/\bdecisions (\d+)\D.*\bredis_decisions (\d+)/', part($admin, 'numbers'), $found) === 1 && $found[1] + $found[2] > 10, 'decisions');
	same([], $server->complaints(), 'PHP complained of nothing');
}

if (each_store('real', 'redis')->name() === 'shm') {
	page_scenario(app([], 4, ['RATELIMIT_PASSWORD' => PASSWORD]));
} else {
	$redis = new RedisServer(['--requirepass', 'pa55']);
	$server = app(['ratelimit.store' => strtr($redis->dsn(), ['unix://' => 'unix://:pa55@']), 'ratelimit.on_failure' => 'throw'], 4,
		['RATELIMIT_PASSWORD' => PASSWORD]);
	page_scenario($server);

	/* The servers are shown, their passwords not; and a Redis that is away is no end of the page. */
	$admin = $server->visitor();
	log_in($admin);
	ok(str_contains(part($admin, 'servers'), 'closed: answers'), 'the server answers: ' . part($admin, 'servers'));
	ok(!str_contains($admin->get('/ratelimit.php')->body, 'pa55'), 'no password');
	button($admin, 'look', ['name' => 'comment', 'id' => '7', 'limits' => '10/30s']);
	$redis->stop();
	same(200, $admin->get('/ratelimit.php')->status, 'the page without Redis');
	same('unknown', watched($admin)[0]['state'], 'what is watched is unknown');
	same(503, $server->visitor()->post('/api/comment')->status, 'as it is to the application');
	ok(str_contains(part($admin, 'servers'), 'open: not asked'), 'and why');

	/* Under local, the page says for how many calls, since when, and what Redis knows of them. */
	$local = app(['ratelimit.store' => 'unix:///nowhere/redis.sock'], 4, ['RATELIMIT_PASSWORD' => PASSWORD]);
	foreach ([1, 2, 3] as $call) {
		same(200, $local->visitor()->post('/api/comment')->status, "call $call without Redis");
	}
	$admin = $local->visitor();
	log_in($admin);
	$text = strip_tags($admin->get('/ratelimit.php')->body);
	ok(preg_match('/(\d+) calls were decided without Redis, the first at \d\d:\d\d\. Of (\d+) permits that passed so, Redis has counted 0 by now\./', $text, $found) === 1
		&& $found[1] >= 3 && $found[2] >= 3, 'what was decided without Redis: ' . ($found[0] ?? 'not said'));
}
done();
?>
--EXPECT--
done
