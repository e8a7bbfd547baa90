--TEST--
bin/ratelimit bans networks, several identities and rows of its --json, with a line in the log; or nothing at all
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/command.inc';

$folder = temp_folder(0755);
$redis = test_store('redis')->server;
$file = "$folder/limiters.ini";
file_put_contents($file, "[api]\nminute = fixed:1/1m\n[both]\nip = fixed:1/1m,by=ip\nuser = fixed:1/1m,by=user\n[away]\nstore = {$redis->dsn()}\nminute = fixed:1/1m\n[gone]\nstore = redis://127.0.0.1:1\nminute = fixed:1/1m\n");
touch($file, time() - 10);
$ini = ['ratelimit.limiters' => $file, 'ratelimit.shm_path' => "$folder/segment", 'error_log' => "$folder/log", 'log_errors' => '1'];
$log = function () use ($folder): array {
	$lines = array_map(fn (string $line): string => preg_replace('/^\[[^]]*\] |^ratelimit: \S+( as \S+)? /', '', preg_replace('/^\[[^]]*\] /', '', $line)), @file("$folder/log", FILE_IGNORE_NEW_LINES) ?: []);
	@unlink("$folder/log");
	return $lines;
};
$php = function (string $code) use ($ini): string {
	[$status, $out] = run_command(php_command($ini, ['-r', "use FrequencyLimit\\{Limit, Limiter, Monitor}; $code"]));
	same(0, $status, $code);
	return $out;
};
$api = 'echo implode(" ", array_map(fn ($id) => Limiter::named("api")->peek($id)->reason->name, ';

/* Networks. */
same([0, "api, 203.0.113.0/24: banned for 1h\napi, 2001:db8::/32: banned for 1h\napi, bob: banned for 1h\n", ''], ratelimit(['ban', 'api', '203.0.113.9/24', '2001:db8::/32', 'bob', '--for=1h'], $ini), 'networks and an identity');
same(['banned for 1h from api: 203.0.113.0/24, 2001:db8::/32, bob'], $log(), 'one line');
same('Banned Banned Accepted Banned', $php("$api ['203.0.113.7', '2001:db8:7::/64', '203.0.114.1', 'bob']));"), 'they hold');
ok(preg_match_all('/ (203\.0\.113\.0\/24|2001:db8::\/32|bob) +api$/m', ratelimit(['bans'], $ini)[1]) === 3, 'they are listed');
[$exit, $out] = ratelimit(['unban', 'api', '203.0.113.7'], $ini);
same([1, "api, 203.0.113.7: there was no ban\n"], [$exit, $out], 'one address of it');
ratelimit(['ban', 'api', '203.0.113.7', '--for=1h'], $ini);
same([1, "api, 203.0.113.7: it is still refused: by refuse= of the file, or by the ban of its network\n"], array_slice(ratelimit(['unban', 'api', '203.0.113.7'], $ini), 0, 2), 'read back');
$log();

/* Lifted by the list of bans. */
[, $bans] = ratelimit(['bans', '--json'], $ini);
[$exit, $out, $errors] = ratelimit(['unban', 'api', '--stdin'], $ini, $bans);
same([0, 3, ''], [$exit, substr_count($out, ': the ban is lifted'), $errors], $out);
same(1, count($lines = $log()), 'one line');
ok(preg_match('/^lifted the ban from api: (203\.0\.113\.0\/24|2001:db8::\/32|bob), /', $lines[0]) === 1, $lines[0]);
same([1, "nobody is banned\n"], array_slice(ratelimit(['bans'], $ini), 0, 2), 'all are lifted');

/* A client's network is its identity, too. */
same([0, "api, 2001:db8:1:2::/64: banned for 1h\n", ''], ratelimit(['ban', 'api', '2001:DB8:1:2:3::/64', '--for=1h'], $ini), 'of a client');
same('Banned Banned', $php("$api ['2001:db8:1:2::/64', '2001:db8:1:2::5']));"), 'as clients are written, and as addresses are');
same(1, substr_count(ratelimit(['bans', '--json'], $ini)[1], '"identity"'), 'one row');
same(0, ratelimit(['unban', 'api', '2001:db8:1:2::/64'], $ini)[0], 'lifted');
same('Accepted Accepted', $php("$api ['2001:db8:1:2::/64', '2001:db8:1:2::5']));"), 'both');

/* Bytes that are no UTF-8, in a name, too. */
$php('$l = new Limiter("n\xfe", Limit::fixedWindow(1, 60)); for ($i = 0; $i < 3; $i++) { Limiter::named("api")->allow("\xff\xc3"); $l->allow("\xff\xc3"); }');
[, $top] = ratelimit(['top', '--json'], $ini);
$rows = array_map(fn (array $row): string => json_encode([$row['name'], $row['identity']]), json_decode($top, true)['top']);
same([], array_diff(['["api",{"base64":"\/8M="}]', '[{"base64":"bv4="},{"base64":"\/8M="}]'], $rows), 'as base64: ' . implode(' ', $rows));
same(0, ratelimit(['ban', 'api', '--stdin', '--for=1h'], $ini, $top)[0], 'by the rows');
same('Banned Accepted', $php("$api ['\xff\xc3', '\u{fffd}\u{fffd}']));"), 'these bytes, and no others');
same(0, ratelimit(['unban', 'api', '--stdin'], $ini, ratelimit(['bans', '--json'], $ini)[1])[0], 'lifted');
same('Limited', $php("$api ['\xff\xc3']));"), 'it is limited again');
$php('Limiter::named("api")->reset("\xff\xc3"); (new Limiter("n\xfe", Limit::fixedWindow(1, 60)))->reset("\xff\xc3");');

/* 200 offenders of the top, one of which has the text of a network. */
$php('for ($i = 0; $i < 3; $i++) { foreach (range(1, 199) as $n) { Limiter::named("api")->allow("198.51.100.$n"); } Limiter::named("api")->allow("0.0.0.0/0"); Limiter::named("both")->allow(["ip" => "a", "user" => $i]); }');
[, $top] = ratelimit(['top', '--json', '--count=300'], $ini);
$log();
$begin = hrtime(true);
[$exit, $out, $errors] = ratelimit(['ban', 'api', '--stdin', '--for=1h'], $ini, $top);
$ms = (hrtime(true) - $begin) / 1e6;
same([0, 200, ''], [$exit, substr_count($out, ': banned for 1h'), $errors], $out);
ok($ms < 5000, sprintf('%.0f ms', $ms));
same(1, count($log()), 'one line');
same('Banned Banned Banned Accepted', $php("$api ['198.51.100.1', '198.51.100.199', '0.0.0.0/0', '192.0.2.1']));"), 'each, and nobody else');
same([0, 1], [($r = ratelimit(['ban', 'both', '--stdin', '--for=1h', '--json'], $ini, $top))[0], count(json_decode($r[1], true))], "the row's label: $r[1]$r[2]");
same('ip', json_decode($r[1], true)[0]['by'], 'in the answer');

/* Lines; nothing in them; nothing of the name. */
same([0, "api, 7: banned for 1h\napi, 10.0.0.0/8: banned for 1h\n"], array_slice(ratelimit(['ban', 'api', '--stdin', '--for=1h'], $ini, "7\n\n 10.0.0.0/8\r\n7\n"), 0, 2), 'an identity a line');
$odd = ['[2001:db8::1]', '{3F2504E0-4F89-11D3-9A0C-0305E82C3301}', '12:34/5', 'cafe:*', '1.5/2', 'user/path', '10.0.0.1/x/y'];
same([0, implode(array_map(fn (string $id): string => "api, $id: banned for 1h\n", $odd))], array_slice(ratelimit(['ban', 'api', '--stdin', '--for=1h'], $ini, implode("\n", $odd)), 0, 2), 'identities of any form');
same('Banned', $php("$api ['10.1.2.3']));"), 'the operator has written the network');
foreach (["\n" => 1, '[]' => 1, '{"top":[]}' => 1, '{"a":1}' => 2, '[1]' => 2,
	implode("\n", array_slice(explode("\n", $top), 0, 20)) => 2, "$top[0]" => 2, "a greeting\n$top" => 2, "$top\n[" => 2] as $input => $status) {
	same([$status, ''], array_slice(ratelimit(['ban', 'api', '--stdin', '--for=1h'], $ini, $input), 0, 2), substr($input, 0, 20));
}
$log();

/* A row has its kind, and the begin of an identity alone is nobody. */
$php('(new Limiter("kinds", Limit::fixedWindow(1, 60)))->ban(7, 9000); FrequencyLimit\FrequencyLimit::ban("kinds", 7, 9000);');
[$exit, $out] = ratelimit(['unban', 'kinds', '--stdin'], $ini, ratelimit(['bans', '--json'], $ini)[1]);
$lines = explode("\n", trim($out));
sort($lines);
same([0, ['action kinds, 7: the ban is lifted', 'kinds, 7: the ban is lifted']], [$exit, $lines], 'each by its kind');
$php('for ($i = 0; $i < 2; $i++) { Limiter::named("api")->allow(str_repeat("long", 50)); Limiter::named("api")->allow("short"); }');
[, $top] = ratelimit(['top', '--json', '--count=300'], $ini);
$rows = json_encode(array_values(array_filter(json_decode($top, true)['top'], fn ($row) => str_starts_with((string) json_encode($row['identity']), '"long') || $row['identity'] === 'short')));
[$exit, $out] = ratelimit(['ban', 'api', '--stdin', '--for=1h'], $ini, $rows);
same([1, 1, 1], [$exit, substr_count($out, ': left out, because only its begin is known'), substr_count($out, 'api, short: banned for 1h')], $out);
$log();

/* One that is wrong: none is done. */
foreach ([['api', 'x1', str_repeat('n', 300)], ['apii', 'x1'], ['gone', 'x1', 'x2'], ['both', 'x1', '--by=none']] as $words) {
	[$exit, $out, $errors] = ratelimit(['ban', ...$words, '--for=1h'], $ini);
	ok($exit === ($words[0] === 'gone' || $words[0] === 'apii' ? 1 : 2) && $out === '' && $errors !== '', implode(' ', $words) . ": $exit $out$errors");
}
foreach (['unban', 'reset'] as $command) {
	same([1, ''], array_slice(ratelimit([$command, 'gone', 'x1'], $ini), 0, 2), "$command: the store does not answer");
}
ok(!str_contains(ratelimit(['bans'], $ini)[1], 'x1') && array_filter($log(), fn ($line) => str_contains($line, 'x1') && str_contains($line, 'banned')) === [], 'nothing was done');

/* On Redis. */
same([0, "away, 7: banned for 1h\naway, 203.0.113.0/24: banned for 1h\n", ''], ratelimit(['ban', 'away', '7', '203.0.113.0/24', '--for=1h'], $ini), 'a store of its own');
same([0, "away, 7: the ban is lifted\naway, 203.0.113.0/24: the ban is lifted\n", ''], ratelimit(['unban', 'away', '7', '203.0.113.0/24'], $ini), 'lifted');
$ofRedis = ['ratelimit.store' => $redis->dsn()] + $ini;
ratelimit(['unban', 'api', '10.0.0.0/8'], $ini);
same(0, ratelimit(['ban', 'api', '7', '203.0.113.0/24', '2001:db8::/64', '--for=1h'], $ofRedis)[0], 'on the general store');
preg_match_all('/ (\S+) +api$/m', ratelimit(['bans'], $ofRedis)[1], $listed);
sort($listed[1]);
same(['2001:db8::/64', '203.0.113.0/24', '7'], $listed[1], 'its keys, and the networks of this machine');
same(0, ratelimit(['unban', 'api', '7', '203.0.113.0/24', '2001:db8::/64'], $ofRedis)[0], 'lifted');
same([1, "nobody is banned\n"], array_slice(ratelimit(['bans'], $ofRedis), 0, 2), 'all');
same([3, ''], array_slice(ratelimit(['ban', 'away', '203.0.113.0/24', '--for=1h'], array_diff_key($ini, ['ratelimit.shm_path' => 1])), 0, 2), 'its memory is no server\'s');

/* A name that is a line of the log. */
$log();
ratelimit(['ban', "api", "x\n[1-Jan-2026 00:00:00 UTC] ratelimit: root reset api: y", '--for=1h'], $ini);
same(1, count($log()), 'one line');
done();
?>
--EXPECT--
done
