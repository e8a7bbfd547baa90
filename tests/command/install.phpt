--TEST--
make install puts the command ratelimit into PHP's folder of programs, its page and completions beside it
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
if (!is_file(__DIR__ . '/../../Makefile')) {
	die('skip configure has not been here');
}
?>
--FILE--
<?php
require __DIR__ . '/command.inc';
$root = realpath(__DIR__ . '/../..');
$folder = temp_folder();

[, $recipes] = run_command(['make', '-C', $root, '-n', 'install', "INSTALL_ROOT=$folder"]);
ok(str_contains($recipes, 'bin/one-file.sh'), 'make install installs it');
[$exit, $text] = run_command(['make', '-C', $root, '-s', 'install-ratelimit-command', "INSTALL_ROOT=$folder"]);
same(0, $exit, "make: $text");
$found = glob($folder . dirname(exec("sed -n 's/^PHP_EXECUTABLE = //p' " . escapeshellarg("$root/Makefile"))) . '/ratelimit');
same(1, count($found), "beside its PHP: $text");
[$command] = $found;
same(0755, fileperms($command) & 07777, 'a program');
ok(preg_match('~^#!(?:/usr/bin/env php|/\S+)\n<\?php\n~', file_get_contents($command)) === 1, 'it names its PHP: ' . strtok(file_get_contents($command), "\n"));

$pages = ['man/man1/ratelimit.1' => 'man/ratelimit.1', 'bash-completion/completions/ratelimit' => 'completion/ratelimit.bash',
	'zsh/site-functions/_ratelimit' => 'completion/_ratelimit'];
foreach ($pages as $page => $source) {
	$file = dirname($command, 2) . "/share/$page";
	same([true, 0644], [file_get_contents($file) === file_get_contents("$root/packaging/$source"), fileperms($file) & 07777], $page);
}
/* DESTDIR is the name that other packages have for PHP's INSTALL_ROOT. */
run_command(['make', '-C', $root, '-s', 'install-ratelimit-command', "DESTDIR=$folder/other"]);
same(1, count(glob("$folder/other" . substr($command, strlen($folder)))), 'DESTDIR');

mkdir("$folder/elsewhere");
copy($command, "$folder/elsewhere/copy");
symlink($command, "$folder/elsewhere/link");
symlink("$root/bin/ratelimit", "$folder/elsewhere/link-to-source");
foreach ([$command, "$folder/elsewhere/copy", "$folder/elsewhere/link", "$folder/elsewhere/link-to-source"] as $file) {
	[$exit, $text] = run_command(php_command([], [$file, 'peek', 'login', '7', '--limit=log:3/60s', '--limit=bucket:5/1s', '--here']));
	same([0, 'passes: 2 of 3'], [$exit, substr($text, 0, 14)], "$file: $text");
	[$exit, $text] = run_command(php_command([], [$file, 'peek', 'login', '7', '--limit=log:3/60']));
	same(2, $exit, "$file: $text");
	ok(str_contains(run_command(php_command([], [$file, '--help']))[1], 'Exit statuses'), "$file --help");
}
/* A copy of the source lacks half of it. */
copy("$root/bin/ratelimit", "$folder/elsewhere/half");
[$exit, $text] = run_command(php_command([], ["$folder/elsewhere/half", 'stats']));
same(3, $exit, 'a copy of bin/ratelimit');
ok(str_contains($text, 'ratelimit.php is neither in') && str_contains($text, 'make install'), $text);

same(['bin/ratelimit'], json_decode(file_get_contents("$root/composer.json"), true)['bin'], 'Composer installs it, too');
done();
?>
--EXPECT--
done
