--TEST--
ratelimit.php: a row's button acts on exactly that row, or is not there; a ban that refuses nobody is no "Banned"
--EXTENSIONS--
ratelimit
session
--SKIPIF--
<?php
require __DIR__ . '/../include/redis.inc';
needs_redis();
?>
--FILE--
<?php
require __DIR__ . '/page.inc';
require_once __DIR__ . '/../include/redis.inc';

$redis = new RedisServer();
$folder = temp_folder(0755);
file_put_contents("$folder/limiters.ini", "[api]\nuser = fixed:1/1h,by=user\ntenant = fixed:100/1h,by=tenant\n[away]\nstore = {$redis->dsn()}\nhour = fixed:1/1h\n[kind]\nhour = fixed:1/1h\nexempt = bob\n");
touch("$folder/limiters.ini", time() - 10);
/* An application: runs the code that a test posts. */
file_put_contents("$folder/app.php", '<?php
use FrequencyLimit\{Limit, Limiter};
if (strtok($_SERVER["REQUEST_URI"], "?") === "/run") {
	echo json_encode(eval("use FrequencyLimit\\\\{Limit, Limiter}; $_POST[code]"));
} else {
	require ' . var_export(realpath(__DIR__ . '/../../ratelimit.php'), true) . ';
}');
$server = new WebServer(["$folder/app.php"], ['ratelimit.limiters' => "$folder/limiters.ini"], 4, ['RATELIMIT_PASSWORD' => PASSWORD]);
$admin = $server->visitor();
same(303, log_in($admin)->status, 'in');
$run = fn (string $code): mixed => json_decode($server->visitor()->post('/run', ['code' => $code])->body);
/* Returns the fields of the form in the row of a limiter, as a browser sends them: its parser replaces what is no UTF-8, and new lines. */
$form = function (string $part, string $name) use ($admin): ?array {
	preg_match("~<section class=\"$part\".*?</section>~s", $admin->get('/ratelimit.php?live')->body, $section);
	foreach (explode('<tr>', $section[0]) as $row) {
		if (str_contains($row, "<span>$name <small>") && preg_match('~<form method="post">(.*?)</form>~s', $row, $found) === 1) {
			preg_match_all('~name="(\w+)" value="([^"]*)"~', $found[1], $fields);
			return array_map(function (string $html): string {
				$text = html_entity_decode(htmlspecialchars($html, ENT_QUOTES | ENT_SUBSTITUTE, double_encode: false), ENT_QUOTES | ENT_HTML5);
				return preg_replace(['/\r\n?|\n/', '/\0/'], ["\r\n", "\u{fffd}"], $text);
			}, array_combine($fields[1], $fields[2]));
		}
	}
	return null;
};
/* Presses the button of a limiter's row, and returns the page's message. */
$press = function (string $part, string $name) use ($form, $admin): ?string {
	$fields = $form($part, $name);
	return $fields !== null && $admin->post('/ratelimit.php', $fields)->status === 303 ? said($admin->get('/ratelimit.php')) : null;
};

/* Any bytes. */
foreach (['admin ', ' admin', "admin\n", "a\r\nb\t", "\xff\xfe", "a\0b", "\u{202e}nimda", '%41', 'a&id=admin', 'a+b', '<b>'] as $i => $id) {
	$export = var_export($id, true);
	$limiter = "(new Limiter('names$i', Limit::fixedWindow(1, 60)))";
	$run("{$limiter}->allow($export); {$limiter}->allow($export);");
	same("Banned for 1h: names$i, " . str_replace([" ", "\n", "\r", "\t", "\0", "\u{202e}", "\xff\xfe"], ['\x20', '\x0a', '\x0d', '\x09', '\x00', '\xe2\x80\xae', '\xff\xfe'], $id) . '.',
		$press('top', "names$i"), "a ban of $export");
	same(['banned', 'accepted'], $run("return [{$limiter}->peek($export)->reason, {$limiter}->peek('admin')->reason];"), "$export is banned, and nobody else");
	ok(str_starts_with((string) $press('bans', "names$i"), 'The ban is lifted: '), 'lifted from the list');
	same('limited', $run("return {$limiter}->peek($export)->reason;"), "$export: lifted indeed");
	$run("return {$limiter}->reset($export);");
}
ok(!str_contains($admin->get('/ratelimit.php')->body, "\u{202e}"), 'no mark of the direction');

/* Labels: of the file, and of code. */
$run('foreach ([7, 8] as $t) { Limiter::named("api")->allow(["user" => 7, "tenant" => $t]); }');
same('Banned for 1h: api, user 7.', $press('top', 'api'), 'by user');
same(['banned', 'accepted'], $run('return [Limiter::named("api")->peek(["user" => 7, "tenant" => 9])->reason, Limiter::named("api")->peek(["user" => 9, "tenant" => 7])->reason];'), 'the user alone');
same(null, button($admin, 'look', ['name' => 'api', 'id' => '7', 'by' => 'tenant', 'kind' => 'limiter']), 'a look');
same(['free', '99 of 100 left (tenant)'], [watched($admin)[0]['state'], watched($admin)[0]['left']], 'of the tenant');
same('banned', (button($admin, 'look', ['name' => 'api', 'id' => '7', 'by' => 'user', 'kind' => 'limiter']) ?? watched($admin)[0]['state']), 'and of the user');
ok(str_contains(button($admin, 'look', ['name' => 'api', 'id' => '7', 'kind' => 'limiter']), 'Choose one of these labels: user, tenant'), 'without a label');
same('The ban is lifted: api, user 7.', $press('bans', 'api'), 'lifted');
$run('$l = new Limiter("code", Limit::fixedWindow(1, 60)->by("tenant")); $l->allow(["tenant" => 7]); $l->allow(["tenant" => 7]);');
same('Banned for 1h: code, tenant 7.', $press('top', 'code'), 'of code');
same('banned', $run('return (new Limiter("code", Limit::fixedWindow(1, 60)->by("tenant")))->peek(["tenant" => 7])->reason;'), 'banned indeed');

/* An attribute: its count is a Limiter's. */
file_put_contents("$folder/held.php", '<?php FrequencyLimit\Request::identifyBy(fn () => "acme");
#[FrequencyLimit\ConcurrencyLimit(limit: 1, seconds: 60, action: "held")] function held(int $n): void { if ($n > 0) { held($n - 1); } }');
$hold = fn (): string => $run("require_once '$folder/held.php'; try { held(1); } catch (FrequencyLimit\\LimitExceeded \$e) { return \$e->result->reason->name; }");
same('Limited', $hold(), 'one at a time');
ok(str_contains(part($admin, 'top'), ' acme held attribute '), part($admin, 'top'));
same('Banned for 1h: held, acme.', $press('top', 'held'), 'an attribute');
same('Banned', $hold(), 'banned indeed');
same('The ban is lifted: held, acme.', $press('bans', 'held'), 'lifted');
same('Limited', $hold(), 'lifted indeed');

/* Stores of their own: of the file; of code, which the page does not know; and the same name on the general store. */
$run('Limiter::named("away")->allow(7); Limiter::named("away")->allow(7);');
same('Banned for 1h: away, 7.', $press('top', 'away'), 'by the file');
same(['banned', 'accepted'], $run('return [Limiter::named("away")->peek(7)->reason, (new Limiter("away", Limit::fixedWindow(1, 60)))->peek(7)->reason];'), 'on its store');
same('The ban is lifted: away, 7.', $press('bans', 'away'), 'lifted');
$run('Limiter::named("away")->reset(7); $l = new Limiter("away", Limit::fixedWindow(1, 60)); $l->allow(7); $l->allow(7);');
same('Banned for 1h: away, 7.', $press('top', 'away'), 'on the general store');
same(['accepted', 'banned'], $run('return [Limiter::named("away")->peek(7)->reason, (new Limiter("away", Limit::fixedWindow(1, 60)))->peek(7)->reason];'), 'there alone');
$run("\$l = new Limiter('elsewhere', Limit::fixedWindow(1, 60), '{$redis->dsn()}'); \$l->allow(7); \$l->allow(7); \$l->ban(8, 60);");
ok(preg_match('/\b7 elsewhere /', part($admin, 'top')) === 1 && preg_match('/\b8 elsewhere /', part($admin, 'bans')) === 1, 'and its rows');
same([null, null], [$form('top', 'elsewhere'), $form('bans', 'elsewhere')], 'without a button');

/* What is read back. */
ok(str_contains(button($admin, 'ban', ['name' => 'kind', 'id' => 'bob', 'kind' => 'limiter', 'for' => '1h']), 'the ban is kept, but calls pass'), 'an exempt identity');
$quiet = app(['ratelimit.enforce' => '0'], 1, ['RATELIMIT_PASSWORD' => PASSWORD]);
$other = $quiet->visitor();
log_in($other);
ok(str_contains(button($other, 'ban', ['name' => 'like', 'id' => '7', 'for' => '1h']), 'the ban is kept, but calls pass'), 'with ratelimit.enforce=0');

/* One state: the answer and the list agree. */
$run('for ($i = 0; $i < 3; $i++) { FrequencyLimit::doHandle("like", 7, 60, 1); }');
ok(str_starts_with(part($admin, 'hour'), 'Calls are being refused since') && str_contains(part($admin, 'top'), ' 7 like '), part($admin, 'hour'));
$run('foreach (FrequencyLimit\Monitor::top(100) as $row) {
	$limit = Limit::fixedWindow(1, 60);
	$limiter = new Limiter($row["name"], $row["by"] === null ? $limit : $limit->by($row["by"]), $row["elsewhere"] ? "' . $redis->dsn() . '" : null);
	$limiter->reset($row["by"] === null ? $row["identity"] : [$row["by"] => $row["identity"]]);
}');
button($admin, 'forget', ['name' => 'like', 'id' => '7']);
ok(str_contains(part($admin, 'hour'), '%), none of late.') && str_contains(part($admin, 'top'), 'Nobody was refused of late.'), part($admin, 'hour') . part($admin, 'top'));
/* No name that is one of equals. */
$run('foreach ([7, 8] as $id) { for ($i = 0; $i < 3; $i++) { FrequencyLimit::doHandle("equal", $id, 60, 1); } }');
ok(!str_contains(part($admin, 'hour'), 'Refused most:'), part($admin, 'hour'));

/* The page's own logins. */
$refused = fn (): string => preg_match('/: ([\d,]+) of the/', part($admin, 'hour'), $found) ? $found[1] : part($admin, 'hour');
$before = $refused();
for ($i = 0; $i < 7; $i++) {
	log_in($server->visitor(), 'wrong');
}
ok(!str_contains(part($admin, 'top'), 'ratelimit.php') && str_contains(part($admin, 'limits'), ' logins of this page Limiter 8 2 '), 'are none of the application: ' . part($admin, 'limits'));
same($before, $refused(), 'nor in its headline');
same([[], []], [$server->complaints(), $quiet->complaints()], 'PHP complained of nothing');
done();
?>
--EXPECT--
done
