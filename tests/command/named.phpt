--TEST--
bin/ratelimit finds a limiter of the file without its limits, reports a missing --limiter, and checks the file
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/command.inc';

$folder = temp_folder(0755);
$file = "$folder/limiters.ini";
file_put_contents($file, "[login]\naccount = log:5/15m\n");
touch($file, time() - 10);
$ini = ['ratelimit.limiters' => $file, 'ratelimit.shm_path' => "$folder/segment"];
foreach ([
	[0, 'passes: 4 of 5 (account) would remain', ['peek', 'login', '7', '--limiter']],
	[0, 'banned for 1h', ['ban', 'login', '7', '--limiter', '--for=1h']],
	[1, 'refused, banned: none of 5 (account) left', ['peek', 'login', '7', '--limiter']],
	[0, 'forgotten', ['reset', 'login', '7', '--limiter']],
	[0, 'not banned; --limit=', ['peek', 'logout', '7', '--limiter']],
	[0, 'not banned; --limit=', ['peek', 'login', '7']],
	[0, 'ok: ', ['check']],
] as [$exit, $text, $words]) {
	[$status, $out, $errors] = ratelimit($words, $ini);
	same($exit, $status, implode(' ', $words));
	ok(str_contains($out . $errors, $text), implode(' ', $words) . ": $out$errors");
}

/* The ban of an action bans nobody from a Limiter of that name, and the reverse. */
[$status, $out, $errors] = ratelimit(['ban', 'login', '8', '--for=1h'], $ini);
same([0, "ratelimit: this machine counts \"login\" as a Limiter, not as an action: add --limiter\n"], [$status, $errors], 'without --limiter');
same('', ratelimit(['ban', 'login', '8', '--for=1h', '--limiter'], $ini)[2], 'with it');
same(2, preg_match_all('/^ .* 8 +login( \(doHandle\(\)\))?$/m', ratelimit(['bans'], $ini)[1], $rows), 'both bans');
same(1, count(array_filter($rows[1])), 'the list has the kind');
[$status, $out] = run_command(php_command($ini, ['-r', 'for ($i = 0; $i < 3; $i++) { FrequencyLimit::doHandle("like", 7, 600, 1); (new FrequencyLimit\Limiter("both", FrequencyLimit\Limit::fixedWindow(1, 9)))->allow(7); FrequencyLimit::doHandle("both", 7, 600, 1); }']));
same([0, ''], [$status, $out], 'an action and a name of both kinds');
same("ratelimit: this machine counts \"like\" as an action of doHandle(), not as a Limiter\n", ratelimit(['unban', 'like', '7', '--limiter'], $ini)[2], 'an action');
foreach ([['unban', 'like', '7'], ['unban', 'both', '7'], ['unban', 'both', '7', '--limiter'], ['unban', 'unknown', '7']] as $words) {
	same('', ratelimit($words, $ini)[2], implode(' ', $words));
}
file_put_contents($file, "[login]\naccount = log:5/15\n");
[$status, $out, $errors] = ratelimit(['check'], $ini);
same([1, true], [$status, str_contains($errors, "$file: line 2: \"log:5/15\" is not a limit")], "check: $out$errors");
done();
?>
--EXPECT--
done
