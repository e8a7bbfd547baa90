--TEST--
bin/ratelimit finds a limiter of the file without its limits, and checks the file
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
	[0, 'ok: ', ['check']],
] as [$exit, $text, $words]) {
	[$status, $out, $errors] = ratelimit($words, $ini);
	same($exit, $status, implode(' ', $words));
	ok(str_contains($out . $errors, $text), implode(' ', $words) . ": $out$errors");
}

file_put_contents($file, "[login]\naccount = log:5/15\n");
[$status, $out, $errors] = ratelimit(['check'], $ini);
same([1, true], [$status, str_contains($errors, "$file: line 2: \"log:5/15\" is not a limit")], "check: $out$errors");
same(1, substr_count($errors, 'line 2'), "the mistake once: $errors");
/* A new file, before it is renamed into place. */
file_put_contents("$file.new", "[login]\naccount = log:5/15m\n");
same([0, "ok: store shm:, segment file\n", ''], ratelimit(['check'], ['ratelimit.limiters' => "$file.new"] + $ini), 'a new file, just written');
done();
?>
--EXPECT--
done
