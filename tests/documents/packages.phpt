--TEST--
The packages of packaging/ have the version of the sources, name files that exist, and their scripts parse
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/readme.inc';

$version = phpversion('ratelimit');
ok((bool) preg_match('/^php-ratelimit \(([^)]+)\) \w+; urgency=/', readme('packaging/debian/changelog'), $found), 'debian/changelog');
same($version, $found[1], 'the version of the Debian package');
same('3.0 (native)', trim(readme('packaging/debian/source/format')), 'no revision: the version has no "-1"');
ok((bool) preg_match('/^pkgver=(.*)$/m', readme('packaging/alpine/APKBUILD'), $found), 'APKBUILD');
same($version, $found[1], 'the version of the Alpine package');

/* What debhelper and the Dockerfiles copy. */
foreach (['php-ratelimit.docs', 'php-ratelimit.examples', 'php-ratelimit.install'] as $list) {
	foreach (explode("\n", trim(readme("packaging/debian/$list"))) as $line) {
		ok(glob(ROOT . '/' . explode(' ', $line)[0]) !== [], "$list: $line");
	}
}
same('mod ratelimit.ini', trim(readme('packaging/debian/php-ratelimit.php')), 'dh_php');
foreach (['', '.alpine'] as $kind) {
	$file = readme("packaging/docker/Dockerfile$kind");
	ok(str_contains($file, 'ratelimit.ini "$PHP_INI_DIR/conf.d/80-ratelimit.ini"'), "Dockerfile$kind: the settings");
	ok((bool) preg_match('/^FROM php:\$\{PHP\}$/m', $file), "Dockerfile$kind: FROM");
	/* What its shell runs. */
	preg_match('/^RUN --mount=\S+ \\\\\n(.*)/ms', $file, $found);
	[$exit, $said] = run_command(['sh', '-n', '-c', str_replace("\\\n", "\n", $found[1] ?? 'fi')]);
	same([0, ''], [$exit, $said], "Dockerfile$kind parses");
}
foreach (['deb.sh', 'alpine/APKBUILD'] as $script) {
	[$exit, $said] = run_command(['sh', '-n', ROOT . "/packaging/$script"]);
	same([0, ''], [$exit, $said], "$script parses");
}
ok(is_executable(ROOT . '/packaging/debian/rules') && is_executable(ROOT . '/packaging/deb.sh'), 'rules and deb.sh are programs');

/* tests/command/manual.phpt compares the manual page and the completions with the command. */
$page = readme('packaging/man/ratelimit.1');
ok(str_contains($page, "\"ratelimit $version\""), 'the manual page has the version');
foreach (['php-ratelimit.manpages' => 'packaging/man/ratelimit.1', 'php-ratelimit.install' => 'packaging/completion/_ratelimit', 'rules' => 'packaging/completion/ratelimit.bash'] as $file => $path) {
	ok(str_contains(readme("packaging/debian/$file"), $path) && is_file(ROOT . "/$path"), "$file installs $path");
	ok(str_contains(readme('packaging/alpine/APKBUILD'), $path), "APKBUILD installs $path");
}

/* PIE. */
$pie = json_decode(readme('composer.json'), true);
same(['php-ext', ['linux'], false], [$pie['type'], $pie['php-ext']['os-families'], isset($pie['php-ext']['os-families-exclude'])], 'PIE: Linux only');
foreach ($pie['php-ext']['configure-options'] as $option) {
	ok(str_contains(readme('config.m4'), "--{$option['name']}]"), "config.m4 has --{$option['name']}");
}
foreach (['--with-ratelimit-tls', 'packaging/deb.sh', 'packaging/docker/Dockerfile.alpine', 'packaging/alpine/APKBUILD', 'PIE'] as $word) {
	ok(str_contains(readme('docs/installing.md'), $word), "docs/installing.md: $word");
}

done();
?>
--EXPECT--
done
