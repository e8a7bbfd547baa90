--TEST--
Each command of docs/first-hour.md has the output that the page shows, numbers of time and traffic aside
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../user-memory/user.inc';
needs_apart();
?>
--FILE--
<?php
require __DIR__ . '/readme.inc';
require __DIR__ . '/../user-memory/user.inc';
run_apart(__FILE__);

$page = readme('docs/first-hour.md');
$folder = temp_folder(0755);
$places = ['/etc/ratelimit' => "$folder/etc"];
mkdir("$folder/etc");
mkdir("$folder/bin");

/* php has the page's settings, and ratelimit is the command. */
preg_match_all('/^```(\w+)\n(.*?)^```$/ms', $page, $blocks, PREG_SET_ORDER);
ok(preg_match('/^ratelimit\.shm_size/', $blocks[1][2]) === 1, 'the settings come first');
$settings = ['display_errors' => 'stderr'] + parse_ini_string(strtr($blocks[1][2], $places));
$php = implode(' ', array_map(escapeshellarg(...), php_command($settings, [])));
file_put_contents("$folder/bin/php", "#!/bin/sh\nexec $php \"\$@\"\n");
file_put_contents("$folder/bin/ratelimit", "#!/bin/sh\nexec $folder/bin/php " . escapeshellarg(realpath(ROOT . '/bin/ratelimit')) . " \"\$@\"\n");
chmod("$folder/bin/php", 0755);
chmod("$folder/bin/ratelimit", 0755);
$environment = ['PATH' => "$folder/bin:" . getenv('PATH'), 'LC_ALL' => 'C'];

/* A pattern of the output: times and rates differ, and the width of a table's columns with them. */
$pattern = function (string $output): string {
	$text = preg_quote(trim($output), '/');
	$text = preg_replace('/\d+\\\\:\d\d\\\\:\d\d|\d+\\\\?:\d\d\\\\?:\d\d/', '[\d:]+', $text);
	$text = preg_replace('/\d+\\\\\.\d+(?= s)/', '[\d.]+', $text);
	return '/^' . preg_replace('/ {2,}/', ' {2,}', $text) . '$/';
};
$commands = 0;
foreach ($blocks as [, $kind, $text]) {
	if ($kind === 'ini' && preg_match('~^; (/etc/ratelimit/limiters\.ini)\n~', $text, $found)) {
		$file = strtr($found[1], $places);
		file_put_contents($file, $text);
		touch($file, time() - 60 + $commands); // workers read a file that is some time old
	}
	if ($kind !== 'console') {
		continue;
	}
	/* The status of the command before: one shell runs a block. */
	$parts = preg_split('/^\$ /m', $text, -1, PREG_SPLIT_NO_EMPTY);
	$status = 0;
	foreach ($parts as $part) {
		[$command, $expected] = explode("\n", $part, 2);
		if ($command === 'echo $?') {
			same($expected, "$status\n", "$last: its exit status");
			continue;
		}
		$process = proc_open(['sh', '-c', "$command 2>&1"], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['pipe', 'w']], $pipes, null, $environment);
		$output = stream_get_contents($pipes[1]);
		$status = end_of($process);
		ok(preg_match($pattern($expected), trim($output)) === 1, "$command: expected\n$expected, got\n$output");
		$last = $command;
		$commands++;
	}
}
ok($commands >= 15, "commands: $commands");
done();
?>
--EXPECT--
done
