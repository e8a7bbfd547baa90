--TEST--
configure requires a recent hiredis in any prefix and a supported processor; without OpenSSL it prints a notice
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
$root = __DIR__ . '/../..';
if (!is_executable("$root/configure")) {
	die('skip phpize has not been here');
}
exec('pkg-config --exists hiredis && command -v php-config', $lines, $exit);
if ($exit !== 0) {
	die('skip there is no pkg-config with hiredis, or no php-config');
}
if (getenv('SKIP_SLOW_TESTS')) {
	die('skip slow');
}
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';

$hiredis = file_get_contents(exec('pkg-config --variable=pcfiledir hiredis') . '/hiredis.pc');
/* The only packages that pkg-config finds. */
$cases = [
	'no hiredis' => [],
	'an old hiredis' => ['hiredis.pc' => preg_replace('/^Version:.*$/m', 'Version: 0.13.3', $hiredis)],
	'no OpenSSL' => ['hiredis.pc' => $hiredis],
	'another prefix' => ['hiredis.pc' => preg_replace(['/^includedir=.*$/m', '/^Cflags:.*$/m'], ['includedir=@folder@/include', 'Cflags: -I${includedir}/hiredis'], $hiredis)],
	'another prefix, Debian 12' => ['hiredis.pc' => preg_replace(['/^includedir=.*$/m', '/^Cflags:.*$/m'], ['includedir=@folder@/include/hiredis', 'Cflags: -I${includedir}'], $hiredis)],
	'another processor' => ['hiredis.pc' => $hiredis],
];
$running = [];
foreach ($cases as $what => $files) {
	$folder = temp_folder();
	mkdir("$folder/pc");
	foreach ($files as $name => $text) {
		file_put_contents("$folder/pc/$name", str_replace('@folder@', $folder, $text));
	}
	mkdir("$folder/include/hiredis", 0777, true);
	$environment = ['PKG_CONFIG_PATH' => '', 'PKG_CONFIG_LIBDIR' => "$folder/pc"];
	if ($what === 'another processor') {
		/* Looks like a compiler for another one to the check alone, because this machine's headers are of this processor. */
		file_put_contents("$folder/cc", "#!/bin/sh\ngrep -q 'ratelimit supports' conftest.c 2>/dev/null && exec cc -U__x86_64__ -U__aarch64__ \"\$@\"\nexec cc \"\$@\"\n");
		chmod("$folder/cc", 0755);
		$environment['CC'] = "$folder/cc";
	}
	$running[$what] = [proc_open([realpath(__DIR__ . '/../../configure'), '--with-php-config=' . exec('command -v php-config')],
		[['file', '/dev/null', 'r'], ['file', "$folder/said", 'w'], ['file', "$folder/said", 'a']], $pipes, $folder,
		$environment + getenv()), "$folder/said", "$folder/config.h"];
}
foreach ($running as $what => [$process, $log, $config]) {
	$exit = end_of($process);
	$said = file_get_contents($log);
	if ($what === 'another processor') {
		ok($exit !== 0 && preg_match('/^configure: error: ratelimit supports x86-64 and aarch64 .* this build is for \w+:/m', $said), "$what: $exit, " . substr($said, -500));
		ok(!file_exists($config), "$what: nothing was configured");
		continue;
	}
	if (str_starts_with($what, 'another prefix')) {
		same(0, $exit, "$what: " . substr($said, -500));
		$folder = dirname($config);
		ok((bool) preg_match('~^INCLUDES = .*-I' . preg_quote("$folder/include", '~') . '(?: |$)~m', file_get_contents("$folder/Makefile")), "$what: <hiredis/hiredis.h> is found");
		continue;
	}
	$stopped = (bool) preg_match('/^configure: error: ratelimit needs hiredis\b.*$/m', $said, $error);
	if ($what === 'no OpenSSL') {
		same([0, false], [$exit, $stopped], $what);
		ok((bool) preg_match('/OpenSSL.*no: rediss:\/\/ and tls=1 will be refused/', $said), "$what: " . substr($said, -500));
		ok(!preg_match('/^#define HAVE_RATELIMIT_TLS/m', file_get_contents($config)), "$what: HAVE_RATELIMIT_TLS");
		continue;
	}
	same([true, true], [$exit !== 0, $stopped], $what);
	foreach (['apt-get install pkg-config libhiredis-dev', 'apk add', 'dnf install'] as $advice) {
		ok(str_contains($error[0] ?? '', $advice), "$what: it says \"$advice\"");
	}
	ok(!file_exists($config), "$what: nothing was configured");
}
done();
?>
--EXPECT--
done
