--TEST--
bin/ratelimit: wrong usage is exit code 2 and one line with the reason; --help lists every command
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/command.inc';

foreach ([
	'' => 'what shall it do?',
	'dance' => 'there is no command "dance"',
	'peek comment 7' => 'wants the --limit',
	'peek comment --limit=1/1s' => 'peek wants a name and an identity behind it, 1 given',
	'stats now' => 'stats wants nothing behind it, 1 given',
	'stats --limit=1/1s' => 'stats has no option --limit=1/1s',
	'peek a 1 --limit' => '--limit wants a value',
	'peek a 1 --limit=' => '--limit wants a value',
	'peek a 1 --json=yes --limit=1/1s' => '--json has no value',
	'peek a 1 --limit=1' => '"1" is no limit',
	'peek a 1 --limit=0/1s' => '非法参数',
	'peek a 1 --limit=1/1s --limit=1/2s' => "doHandle()'s limit",
	'peek a 1 --limit=1/1s --limiter' => "doHandle()'s limit",
	'peek a 1 --limit=fixed:1/1s --limit=1/2s' => '"1/2s" is doHandle()\'s limit',
	'peek a 1 --limit=fixed:1/1s,burst=3' => 'only a bucket',
	'ban a 1' => '--for how long',
	'ban a 1 --for=1h' => 'only a limiter',
	'ban a 1 --limiter --for=1y' => '"1y" is no duration: a duration looks like',
	'ban a 1 --limiter --for=5000w' => '非法参数',
	'watch --count=0' => '--count wants a number',
	'watch --interval=1ms' => '50ms',
	'stats --store=redis' => '--store is no store',
] as $words => $why) {
	[$exit, $out, $errors] = ratelimit($words === '' ? [] : explode(' ', $words));
	same([2, ''], [$exit, $out], "ratelimit $words");
	ok(str_contains($errors, $why), "ratelimit $words: $errors");
	ok(preg_match('/^(ratelimit: .*\n){1,2}$/', $errors) === 1, "ratelimit $words: in lines of its own: $errors");
}

foreach ([['--help'], ['-h'], ['help'], ['peek', '--help']] as $words) {
	[$exit, $out, $errors] = ratelimit($words);
	same([0, ''], [$exit, $errors], implode(' ', $words));
	foreach (['stats', 'watch', 'peek', 'reset', 'ban', 'unban', '--json', '--store', 'Exit codes', 'bucket:10/1s,burst=50'] as $told) {
		ok(str_contains($out, $told), "the help tells of $told");
	}
}

/* Names that look like it are names. */
foreach ([['unban', 'login', 'help'], ['reset', 'help', '-h'], ['reset', 'login', '--', '--help'], ['reset', '--', '-h', 'help']] as $words) {
	[$exit, $out] = ratelimit($words);
	same(1, $exit, implode(' ', $words) . ": $out");
	ok(str_contains($out, 'there was no'), implode(' ', $words) . ": $out");
}

/* Each limit of the grammar is one. */
preg_match_all('/^  ((?:\w+:)?\d+\/\S+)/m', ratelimit(['--help'])[1], $found);
ok(count($found[1]) === 6, 'the limits of the help');
foreach ($found[1] as $limit) {
	foreach (str_contains($limit, ':') ? ['', ',ban=1h', ',ban=day', ',name=x', ',ban=90m,name=x'] : [''] as $more) {
		[$exit, $out, $errors] = ratelimit(['peek', 'a', '1', "--limit=$limit$more", '--json']);
		same([0, true], [$exit, json_decode($out, true)['accepted']], "$limit$more");
		same(str_contains($more, 'name') ? 'x' : null, json_decode($out, true)['limitName'], "$limit$more: its name");
	}
}

/* A command on a private segment prints a note. */
ok(str_contains(ratelimit(['stats'])[2], 'note: this command has shared memory of its own'), 'noted');
ok(ratelimit(['--help'])[2] === '', 'not where it does not matter');

/* Without the extension. */
[$exit, $out] = run_command([getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY, '-n', __DIR__ . '/../../bin/ratelimit', 'stats']);
same(3, $exit, 'without the extension');
ok(str_contains($out, 'PHP has not loaded the extension'), $out);
done();
?>
--EXPECT--
done
