--TEST--
packages/split.sh pushes each package's folder and what is generated, with one version, and refuses others
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

/* A repository with the scripts, the version, what is generated from, and packages. */
$folder = temp_folder();
$run = function (string $command) use ($folder): array {
	exec("cd $folder/checkout && $command 2>&1", $output, $code);
	return [$code, implode("\n", $output)];
};
mkdir("$folder/checkout/scripts", 0700, true);
mkdir("$folder/checkout/packages");
foreach (['packages/split.sh', 'scripts/packages.sh', 'packages/ide-stub.php', 'src', 'ratelimit.stub.php', '.gitignore'] as $path) {
	exec('cp -rp ' . ROOT . "/$path $folder/checkout/$path");
}
file_put_contents("$folder/checkout/php_ratelimit.h", "#define PHP_RATELIMIT_VERSION \"1.2.3\"\n");
$packages = ['one' => [], 'two' => [], 'ide-stub' => ['ratelimit.php'], 'polyfill' => ['resources/counter.lua', 'resources/limiter.lua']];
foreach ($packages as $package => $_) {
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

$split = fn (string $version) => $run("packages/split.sh $version $folder/");
[$code, $output] = $split('1.2.4');
ok($code === 1 && str_contains($output, 'the version of the extension is 1.2.3, not 1.2.4'), "another version: $output");
[$code, $output] = $split('1.2.3');
ok($code === 1 && str_contains($output, 'git tag v1.2.3'), "no tag: $output");
$run('git tag v1.2.3');
[$code, $output] = $split('1.2.3');
same(0, $code, "published: $output");
foreach ($packages as $package => $generated) {
	$git = "git --git-dir=$folder/$package.git";
	same("composer.json\nsrc/code.php\n", shell_exec("$git ls-tree -r --name-only main"), "$package: its own files alone");
	same([...$generated, ''], explode("\n", (string) shell_exec("$git diff --name-only main v1.2.3")), "$package: the tag has the generated files, too");
	same("<?php // $package\n", shell_exec("$git show v1.2.3:src/code.php"), "$package: its code");
}

/* The next version continues the history. */
file_put_contents("$folder/checkout/php_ratelimit.h", "#define PHP_RATELIMIT_VERSION \"1.2.4\"\n");
file_put_contents("$folder/checkout/packages/two/src/code.php", "<?php // more\n");
[$code, $output] = $split('1.2.4');
ok($code === 1 && str_contains($output, 'not tagged'), "changed files: $output");
$run('git commit -q -a -m Two && git tag v1.2.4');
same(0, $split('1.2.4')[0], 'the next version');
ok(str_contains(shell_exec("git --git-dir=$folder/polyfill.git show v1.2.4:resources/limiter.lua"), 'redis.pcall'), 'the generated script');
ok(str_contains(shell_exec("git --git-dir=$folder/ide-stub.git show v1.2.4:ratelimit.php"), 'final class Limiter'), 'the generated stub');
same("2\n", shell_exec("git --git-dir=$folder/two.git rev-list --count main"), 'two commits');
same("1\n", shell_exec("git --git-dir=$folder/one.git rev-list --count v1.2.4"), 'an unchanged package has the tag, too');
done();
?>
--EXPECT--
done
