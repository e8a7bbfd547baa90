--TEST--
A build without OpenSSL works, and refuses a DSN that asks for TLS with the reason
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
$root = __DIR__ . '/../..';
if (!is_executable("$root/configure") || !is_file("$root/build/shtool")) {
	die('skip phpize has not been here');
}
exec('pkg-config --exists hiredis && command -v php-config make', $lines, $exit);
if ($exit !== 0) {
	die('skip there is no pkg-config with hiredis, no php-config or no make');
}
if (getenv('SKIP_SLOW_TESTS')) {
	die('skip slow');
}
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';

$root = escapeshellarg(realpath(__DIR__ . '/../..'));
$folder = temp_folder();
[$exit, $said] = run_command(['sh', '-c', "
	tar --create --directory $root --exclude=./tests --exclude=./out --exclude=./modules --exclude=./.libs --exclude='*.o' --exclude='*.lo' \
		--exclude='*.dep' --exclude=./config.h --exclude=./config.status . | tar --extract --directory $folder &&
	cd $folder && CFLAGS=-O0 ./configure --without-ratelimit-tls --with-php-config=\"\$(command -v php-config)\" && make -j2"]);
same(0, $exit, 'built: ' . ($exit === 0 ? '' : substr($said, -2000)));

$php = [getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY, '-n', '-d', "extension=$folder/modules/ratelimit.so", '-r'];
[$exit, $said] = run_command([...$php, 'var_dump(FrequencyLimit::doHandle("a", 1, 60, 1), FrequencyLimit::doHandle("a", 1, 60, 1));']);
same("bool(true)\nbool(false)\n", $said, 'it works');
foreach (['rediss://10.0.0.5', 'redis://10.0.0.5?tls=1', 'redis+cluster://10.0.0.5?tls=1'] as $dsn) {
	[, $said] = run_command([...$php, 'try { (new FrequencyLimit\Limiter("a", FrequencyLimit\Limit::fixedWindow(1, 1), $argv[1]))->consume(1); }
		catch (FrequencyLimit\InvalidArgument $e) { echo "refused: ", $e->getMessage(); }', $dsn]);
	ok(str_starts_with($said, 'refused: ') && str_contains($said, 'cannot speak TLS') && str_contains($said, 'OpenSSL'), "$dsn: $said");
}
done();
?>
--EXPECT--
done
