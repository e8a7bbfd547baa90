--TEST--
bin/ratelimit: wrong usage is exit status 2 and one line with the reason; --help documents every command
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/command.inc';

foreach ([
	'' => 'a command is missing',
	'dance' => 'there is no command "dance"; see',
	'foo' => 'there is no command "foo"; see',
	'tp' => 'there is no command "tp"; did you mean "top"?',
	'stat' => 'there is no command "stat"; did you mean "stats"?',
	'--json' => 'a command is missing',
	'peek comment --limit=1/1s' => 'peek takes a NAME and an ID, 1 given',
	'stats now' => 'stats takes no arguments, 1 given',
	'stats --limit=1/1s' => 'stats has no option --limit',
	'stats --limits=1/1s' => 'there is no option --limits=1/1s',
	'peek a 1 --limit' => '--limit needs a value',
	'peek a 1 --limit=' => '--limit needs a value',
	'peek a 1 --json=yes --limit=1/1s' => '--json takes no value',
	'peek a 1 --limit=1' => '"1" is not a limit',
	'peek a 1 --limit=0/1s --here' => '"0/1s" is not a limit: limit must be between 1 and 1000000000000, 0 given',
	'peek a 1 --limit=fixed:0/1s' => '"fixed:0/1s" is not a limit: limit must be between 1 and 1000000000000, 0 given',
	'peek a 1 --limit=1/1s --limit=1/2s' => "doHandle()'s limit",
	'peek a 1 --limit=1/1s --limiter' => "doHandle()'s limit",
	'peek a 1 --limit=fixed:1/1s --limit=1/2s' => '"1/2s" is doHandle()\'s limit',
	'peek a 1 --limit=fixed:1/1s,burst=3' => 'only a bucket',
	'ban a 1' => 'ban needs --for',
	'ban a 1 --by= --for=1h' => '--by needs a value',
	'ban a 1 --limit=1/1s --by=user --for=1h' => "doHandle()'s limit",
	'ban a 1 --limit=fixed:1/1s,by=user --by=tenant --for=1h --here' => 'Choose one of these labels: user',
	'ban a 1 --limit=fixed:1/1s,by=user --limit=fixed:1/1s,by=tenant --for=1h --here' => 'Choose one of these labels: user, tenant',
	'ban a 1 --limiter --for=1y' => 'a duration looks like 500ms, 30s, 5m, 2h, 1d or 1w, "1y" given',
	'ban a 1 --limiter --for=5000w --here' => 'a duration must be between 1ms and 3650d, "5000w" given',
	'watch --count=0' => '--count needs a number of 1 to 999999999',
	'top --count=many' => '--count needs a number',
	'top --count=1001' => '--count needs a number of 1 to 1000;',
	'bans --count=5000' => '--count needs a number of 1 to 1000;',
	'metrics --json' => 'metrics has no option --json',
	'ban a 198.51.100.0/33 --limiter --limit=log:5/15m --for=1h --here' => '"198.51.100.0/33" is not a network',
	'ban a 198.51.100/24 --limiter --limit=log:5/15m --for=1h --here' => '"198.51.100/24" is not a network',
	'ban a 198.51.100.* --limiter --limit=log:5/15m --for=1h --here' => '"198.51.100.*" is not a network',
	'ban a 2001:db8::/129 --limiter --limit=log:5/15m --for=1h --here' => '"2001:db8::/129" is not a network',
	'check --identities=-1' => '--identities needs a number',
	'watch --interval=1ms' => 'at least 50ms',
	'stats --store=redis' => '--store is not a store',
] as $words => $why) {
	[$exit, $out, $errors] = ratelimit($words === '' ? [] : explode(' ', $words));
	same([2, ''], [$exit, $out], "ratelimit $words");
	ok(str_contains($errors, $why), "ratelimit $words: $errors");
	ok(preg_match('/^ratelimit: (?!.*(?:非法|\$)).*\n$/', $errors) === 1, "ratelimit $words: in one line, without PHP's names: $errors");
}

foreach ([['--help'], ['-h'], ['help'], ['peek', '--help']] as $words) {
	[$exit, $out, $errors] = ratelimit($words);
	same([0, ''], [$exit, $errors], implode(' ', $words));
	foreach (['top', 'bans', 'metrics', 'stats', 'watch', 'peek', 'reset', 'ban', 'unban', 'check', '--json', '--store', '--here', 'Exit statuses', 'bucket:10/1s,burst=50'] as $word) {
		ok(str_contains($out, $word), "the help has $word");
	}
}

same([0, 'ratelimit ' . phpversion('ratelimit') . "\n", ''], ratelimit(['--version', 'more']), '--version, and another word');

/* Options may stand before the command. */
same(0, ratelimit(['--json', 'stats', '--here'])[0], '--json stats');

/* Names that look like it are names. */
foreach ([['unban', 'login', 'help'], ['reset', 'help', '-h'], ['reset', 'login', '--', '--help'], ['reset', '--', '-h', 'help']] as $words) {
	[$exit, $out] = ratelimit(['--here', '--limit=1/1s', ...$words]);
	same(1, $exit, implode(' ', $words) . ": $out");
	ok(str_contains($out, 'there was no'), implode(' ', $words) . ": $out");
}

/* Each limit of the grammar is one. */
preg_match_all('/^  ((?:\w+:)?\d+\/\S+)/m', ratelimit(['--help'])[1], $found);
same(7, count($found[1]), 'the limits of the help');
foreach ($found[1] as $limit) {
	foreach (str_contains($limit, ':') ? ['', ',ban=1h', ',ban=day', ',name=x', ',ban=90m,name=x'] : [''] as $more) {
		[$exit, $out, $errors] = ratelimit(['peek', 'a', '1', "--limit=$limit$more", '--json', '--here']);
		if (str_starts_with($limit, 'concurrent') && str_contains($more, 'ban')) {
			same([2, true], [$exit, str_contains($errors, 'a concurrent limit has no ban')], "$limit$more");
			continue;
		}
		same([0, true], [$exit, json_decode($out, true)['accepted']], "$limit$more");
		same(str_contains($more, 'name') ? 'x' : null, json_decode($out, true)['limitName'], "$limit$more: its name");
	}
}

/* Without the extension. */
[$exit, $out] = run_command([getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY, '-n', __DIR__ . '/../../bin/ratelimit', 'stats']);
same(3, $exit, 'without the extension');
ok(str_contains($out, 'PHP has not loaded the extension'), $out);
done();
?>
--EXPECT--
done
