--TEST--
ratelimit.php answers first what is refused, since when, for whom and by which limit, also if it was not open before
--EXTENSIONS--
ratelimit
session
--FILE--
<?php
require __DIR__ . '/page.inc';

$server = app([], 4, ['RATELIMIT_PASSWORD' => PASSWORD]);
$admin = $server->visitor();
log_in($admin);
ok(str_starts_with(part($admin, 'hour'), 'No call was decided in the last hour.') || str_starts_with(part($admin, 'hour'), 'None of the'), 'at first: ' . part($admin, 'hour'));
same(['Nobody was refused of late.', 'Nobody is banned.'], [preg_replace('/^.*this machine /', '', part($admin, 'top')), preg_replace('/^.*this machine /', '', part($admin, 'bans'))], 'nobody');

fill_page($server);
$minute = date('H:i');
$hour = part($admin, 'hour');
ok(preg_match('/^Calls are being refused since (\d\d:\d\d): (\d+) of the (\d+) of the last hour \([\d.]+ %\)\./', $hour, $found) === 1, "the answer: $hour");
ok($found[2] >= 3 && $found[3] > $found[2], 'how many');
ok(abs(strtotime($found[1]) - strtotime($minute)) <= 120, "since when: $found[1] at $minute");
ok(str_contains($hour, 'Refused most: ') && str_contains($hour, 'bans begun 1'), "for whom: $hour");

/* The chart has the refusals of the time before the page was opened, without a script. */
$body = $server->visitor();
log_in($body);
$chart = preg_match('~<svg role="img".*?</svg>~s', $body->get('/ratelimit.php')->body, $found) ? $found[0] : '';
ok(preg_match('/class="refused" x="[\d.]+" y="[\d.]+" width="[\d.]+" height="([\d.]+)"/', $chart, $found) === 1 && $found[1] > 0, "a bar: $chart");

/* By limit; and for whom, with buttons that ban and lift. */
$limits = part($admin, 'limits');
ok(preg_match('/\bconversation Limiter 12 2 /', $limits) === 1 && preg_match('/\bhour 2\b/', $limits) === 1, "by limit: $limits");
ok(preg_match('/\blike doHandle\(\) – \d+ bans 1/', $limits) === 1, "an action: $limits");
$top = part($admin, 'top');
ok(preg_match('/\b7 like doHandle\(\) \d+/', $top) === 1 && preg_match('/\b7 conversation hour 2/', $top) === 1, "for whom: $top");
ok(preg_match('/ 7 like doHandle\(\) (59:\d\d|1:00:00) Lift the ban/', part($admin, 'bans')) === 1, part($admin, 'bans'));
same('Banned for 1h: conversation, 7.', button($admin, 'ban', ['name' => 'conversation', 'id' => '7', 'kind' => 'limiter', 'for' => '1h']), 'a ban from the list');
ok(str_contains(part($admin, 'bans'), '7 conversation Limiter'), 'is in the list of bans: ' . part($admin, 'bans'));
same('The ban is lifted: conversation, 7.', button($admin, 'unban', ['name' => 'conversation', 'id' => '7', 'kind' => 'limiter']), 'lifted from the list');
ok(!str_contains(part($admin, 'bans'), 'conversation'), 'and gone: ' . part($admin, 'bans'));
ok(preg_match('~<a class="back" href="/">~', $admin->get('/ratelimit.php')->body) === 1, 'a link back to the application');
ok(preg_match('~name="name"[^>]* value="like"~', $admin->get('/ratelimit.php?name=like&id=7')->body) === 1, 'a link fills the form in');

/* Names of visitors are text. */
$body = $admin->get('/ratelimit.php')->body;
ok(!str_contains($body, '<nobody>') && str_contains($body, '&lt;nobody&gt;'), 'escaped');

/* Without identities. */
$quiet = app(['ratelimit.top' => '0'], 1, ['RATELIMIT_PASSWORD' => PASSWORD]);
$admin = $quiet->visitor();
log_in($admin);
press_until_refused($quiet->visitor(), '/api/like', 50);
ok(str_contains(part($admin, 'top'), 'ratelimit.top is 0: identities are not kept.'), part($admin, 'top'));
same([[], []], [$server->complaints(), $quiet->complaints()], 'PHP complained of nothing');
done();
?>
--EXPECT--
done
