--TEST--
bin/ratelimit acts on the identity of one label (--by), and on a limiter's own store; it refuses where it knows neither
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
use FrequencyLimit\{Limit, Limiter, Reason};

$folder = temp_folder(0755);
$redis = test_store('redis')->server;
$file = "$folder/limiters.ini";
file_put_contents($file, "[api]\ntenants = fixed:100/1m,by=tenant\nusers = fixed:3/1m,by=user\n[one]\nminute = fixed:3/1m,by=user\n[away]\nstore = {$redis->dsn()}\nminute = fixed:3/1m\n");
touch($file, time() - 10);
$ini = ['ratelimit.limiters' => $file, 'ratelimit.shm_path' => "$folder/segment"];
$php = function (string $code) use ($ini): string {
	[$status, $out] = run_command(php_command($ini, ['-r', "use FrequencyLimit\\{Limit, Limiter, Monitor}; $code"]));
	same(0, $status, $code);
	return $out;
};

/* Each label's identity. */
$php('Limiter::named("api")->consume(["tenant" => 7, "user" => 7]);');
foreach ([
	[0, 'passes: 98 of 100 (tenants) would remain', ['peek', 'api', '7', '--by=tenant']],
	[0, 'passes: 1 of 3 (users) would remain', ['peek', 'api', '7', '--by=user']],
	[0, 'api, user 7: banned for 1h', ['ban', 'api', '7', '--by=user', '--for=1h']],
	[1, 'refused, banned: none of 3 (users) left', ['peek', 'api', '7', '--by=user']],
	[0, 'passes: 98 of 100 (tenants)', ['peek', 'api', '7', '--by=tenant', '--limiter']],
	[1, 'there was no ban', ['unban', 'api', '7', '--by=tenant']],
	[0, '7 (--by=user)  api', ['bans']],
	[0, 'the ban is lifted', ['unban', 'api', '7', '--by=user']],
	[0, 'are forgotten', ['reset', 'api', '7', '--by=user']],
	[0, 'passes: 2 of 3 (users)', ['peek', 'api', '7', '--by=user']],
	[2, 'Choose one of these labels: tenant, user', ['ban', 'api', '7', '--limiter', '--for=1h']],
	[2, 'Choose one of these labels: tenant, user', ['ban', 'api', '7', '--by=users', '--for=1h']],
	[0, 'one, 7: banned for 1h', ['ban', 'one', '7', '--limiter', '--for=1h']], // one label: no choice
	[0, 'code, user 7: banned for 1h', ['ban', 'code', '7', '--by=user', '--limit=log:5/15m', '--for=1h']],
] as [$exit, $text, $words]) {
	[$status, $out, $errors] = ratelimit($words, $ini);
	same($exit, $status, implode(' ', $words) . ": $out$errors");
	ok(str_contains($out . $errors, $text), implode(' ', $words) . ": $out$errors");
}
same('1 1', $php('echo Limiter::named("one")->allow(["user" => 7]) ? 0 : 1, " ", (new Limiter("code", Limit::slidingLog(5, 900)->by("user")))->allow(["user" => 7]) ? 0 : 1;'), 'refused indeed');
same(['name' => 'api', 'id' => '8', 'by' => 'user', 'done' => true], json_decode(ratelimit(['ban', 'api', '8', '--by=user', '--for=1h', '--json'], $ini)[1], true), 'as JSON');

/* A Limiter of the code alone: by the counts of this machine. */
$php('$l = new Limiter("small", Limit::fixedWindow(1, 60)->by("tenant")); $l->allow(["tenant" => 7]); $l->allow(["tenant" => 7]);');
foreach ([[], ['--by=nope'], ['--limit=fixed:1/1m']] as $by) {
	[$exit, $out, $errors] = ratelimit(['ban', 'small', '7', '--for=1h', ...$by], $ini);
	same([2, ''], [$exit, $out], "small $errors");
	ok(str_contains($errors, 'Choose one of these labels: tenant'), $errors);
}
same([0, "small, tenant 7: banned for 1h\n", ''], ratelimit(['ban', 'small', '7', '--by=tenant', '--for=1h'], $ini), 'with the label');
same([0, "small, user 7: banned for 1h\n", ''], ratelimit(['ban', 'small', '7', '--by=user', '--limit=fixed:9/1m', '--for=1h'], $ini), 'another label, with its limit');
$php('$l = new Limiter("small", Limit::fixedWindow(1, 60)); $l->allow("bob"); $l->allow("bob");'); /* the next release */
same([0, "small, bob: banned for 1h\n", ''], ratelimit(['ban', 'small', 'bob', '--for=1h'], $ini), 'none, as a refused caller has it');

/* A store of its own: by the file, not by limits; and none that only the code knows. */
same([0, "away, 7: banned for 1h\n", ''], ratelimit(['ban', 'away', '7', '--limiter', '--for=1h'], $ini), 'by the file');
same(Reason::Banned, (new Limiter('away', Limit::fixedWindow(3, 60), $redis->dsn()))->peek(7)->reason, 'refused indeed');
[$exit, $out, $errors] = ratelimit(['ban', 'away', '8', '--limit=fixed:3/1m', '--for=1h'], $ini);
same([2, ''], [$exit, $out], 'with limits it would be another one');
ok(str_contains($errors, 'leave out the limits'), $errors);
$php('$l = new Limiter("code.away", Limit::fixedWindow(1, 60), "' . $redis->dsn() . '"); $l->allow(7); $l->allow(7);');
foreach (['ban' => ['--for=1h'], 'unban' => [], 'reset' => []] as $command => $options) {
	[$exit, $out, $errors] = ratelimit([$command, 'code.away', '7', '--limiter', ...$options], $ini);
	same([1, ''], [$exit, $out], "$command code.away");
	ok(str_contains($errors, 'name it with --store'), $errors);
}
same(0, ratelimit(['ban', 'code.away', '7', '--limiter', '--for=1h', '--store', $redis->dsn()], $ini)[0], 'with --store');
same(Reason::Banned, (new Limiter('code.away', Limit::fixedWindow(1, 60), $redis->dsn()))->peek(7)->reason, 'refused indeed');

/* A limiter of the file in shared memory, while the command has memory of its own. */
file_put_contents($file, "[here]\nstore = shm:\nminute = fixed:3/1m\n");
touch($file, time() - 9);
[$exit, $out, $errors] = ratelimit(['ban', 'here', '7', '--limiter', '--for=1h'], ['ratelimit.limiters' => $file, 'ratelimit.store' => $redis->dsn()]);
same([3, ''], [$exit, $out], "its memory is no server's: $errors");
done();
?>
--EXPECT--
done
