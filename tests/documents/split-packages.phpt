--TEST--
scripts/split-packages.sh pushes each package's folder alone, with one version, and refuses another version
--SKIPIF--
<?php
exec('git subtree 2>&1', $output);
if (!str_contains(implode("\n", $output), 'git subtree split')) {
	die('skip git subtree is missing');
}
?>
--FILE--
<?php
require __DIR__ . '/readme.inc';
require_once __DIR__ . '/../include/fpm.inc';

/* A repository with the script, the version and two packages. */
$folder = temp_folder();
$run = function (string $command) use ($folder): array {
	exec("cd $folder/checkout && $command 2>&1", $output, $code);
	return [$code, implode("\n", $output)];
};
mkdir("$folder/checkout/scripts", 0700, true);
copy(ROOT . '/scripts/split-packages.sh', "$folder/checkout/scripts/split-packages.sh");
chmod("$folder/checkout/scripts/split-packages.sh", 0700);
file_put_contents("$folder/checkout/php_ratelimit.h", "#define PHP_RATELIMIT_VERSION \"1.2.3\"\n");
foreach (['one', 'two'] as $package) {
	mkdir("$folder/checkout/packages/$package/src", 0700, true);
	file_put_contents("$folder/checkout/packages/$package/composer.json", "{\"name\": \"ratelimit/$package\"}\n");
	file_put_contents("$folder/checkout/packages/$package/src/code.php", "<?php // $package\n");
	exec("git init -q --bare $folder/$package.git");
}
putenv('GIT_AUTHOR_NAME=test');
putenv('GIT_AUTHOR_EMAIL=test@example.org');
putenv('GIT_COMMITTER_NAME=test');
putenv('GIT_COMMITTER_EMAIL=test@example.org');
putenv('GIT_CONFIG_GLOBAL=/dev/null');
same(0, $run('git init -q && git add -A && git commit -q -m One')[0], 'the repository');

$split = fn (string $version) => $run("scripts/split-packages.sh $version $folder/");
[$code, $output] = $split('1.2.4');
ok($code === 1 && str_contains($output, 'the version of the extension is 1.2.3, not 1.2.4'), "another version: $output");
[$code, $output] = $split('1.2.3');
ok($code === 1 && str_contains($output, 'git tag v1.2.3'), "no tag: $output");
$run('git tag v1.2.3');
[$code, $output] = $split('1.2.3');
same(0, $code, "published: $output");
foreach (['one', 'two'] as $package) {
	$git = "git --git-dir=$folder/$package.git";
	same("composer.json\nsrc/code.php\n", shell_exec("$git ls-tree -r --name-only main"), "$package: its own files alone");
	same(shell_exec("$git rev-parse main"), shell_exec("$git rev-parse v1.2.3"), "$package: the tag");
	same("<?php // $package\n", shell_exec("$git show v1.2.3:src/code.php"), "$package: its code");
}

/* The next version continues the history. */
file_put_contents("$folder/checkout/php_ratelimit.h", "#define PHP_RATELIMIT_VERSION \"1.2.4\"\n");
file_put_contents("$folder/checkout/packages/two/src/code.php", "<?php // more\n");
[$code, $output] = $split('1.2.4');
ok($code === 1 && str_contains($output, 'not tagged'), "changed files: $output");
$run('git commit -q -a -m Two && git tag v1.2.4');
same(0, $split('1.2.4')[0], 'the next version');
same("2\n", shell_exec("git --git-dir=$folder/two.git rev-list --count main"), 'two commits');
same("1\n", shell_exec("git --git-dir=$folder/one.git rev-list --count v1.2.4"), 'an unchanged package has the tag, too');
done();
?>
--EXPECT--
done
