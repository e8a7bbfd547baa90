--TEST--
The manual page and the completions have every command and option of bin/ratelimit; man renders the page
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/command.inc';

$packaging = realpath(__DIR__ . '/../../packaging');
$manual = str_replace('\-', '-', file_get_contents("$packaging/man/ratelimit.1"));
$bash = file_get_contents("$packaging/completion/ratelimit.bash");
$zsh = file_get_contents("$packaging/completion/_ratelimit");
[, $help] = ratelimit(['--help']);

/* The constant is PHP: what it has is what the command accepts. */
preg_match('/const OPTIONS = (\[.*?\n    \]);.*?const ALL = (\[.*?\]);/s', file_get_contents(__DIR__ . '/../../bin/ratelimit'), $found);
$commands = eval("return $found[1];");
$all = eval("return $found[2];");
same(10, count($commands), 'the commands');
foreach ($commands as $command => $options) {
	foreach (['help' => $help, 'manual' => $manual, 'bash' => $bash, 'zsh' => $zsh] as $name => $text) {
		ok(preg_match("/\\b$command\\b/", $text) === 1, "$name: $command");
		foreach (array_keys($options + $all) as $option) {
			ok(str_contains($text, "--$option"), "$name: --$option");
		}
	}
}
foreach (['en', 'zh_CN.UTF-8'] as $locale) {
	putenv("LC_ALL=$locale");
	[, $text] = ratelimit(['--help']);
	foreach (array_merge(['version' => 0], $all, ...array_values($commands)) as $option => $_) {
		ok(str_contains($text, "--$option"), "the help in $locale: --$option");
	}
}
putenv('LC_ALL');

/* Completion answers. */
$complete = function (string ...$words) use ($packaging): array {
	$script = 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _ratelimit 2>/dev/null; printf "%s\n" "${COMPREPLY[@]}"';
	[, $out] = run_command(['bash', '-c', $script, "$packaging/completion/ratelimit.bash", 'ratelimit', ...$words]);
	return explode("\n", trim($out));
};
same(['ban', 'bans'], (function (array $words) { sort($words); return $words; })($complete('ba')), 'commands');
same(['--for='], $complete('ban', '--f'), 'options of the command');
same([''], $complete('stats', '--f'), 'not those of others');
same([''], $complete('bans', '--count', ''), 'no guess at a value');
foreach (['bash' => ["$packaging/completion/ratelimit.bash"], 'zsh' => ["$packaging/completion/_ratelimit"]] as $shell => $files) {
	if (trim((string) shell_exec("command -v $shell")) !== '') {
		same([0, ''], run_command([$shell, '-n', ...$files]), "$shell parses its completion");
	}
}

/* man. */
if (trim((string) shell_exec('command -v man')) !== '') {
	[$exit, $out] = run_command(['sh', '-c', 'LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 "$0" 2>&1 >/dev/null', "$packaging/man/ratelimit.1"]);
	same([0, ''], [$exit, $out], 'man renders the page without a warning');
}
done();
?>
--EXPECT--
done
