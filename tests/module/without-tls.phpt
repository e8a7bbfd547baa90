--TEST--
A build without OpenSSL works, and rejects a TLS DSN with the reason
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
$root = __DIR__ . '/../..';
if (!glob("$root/src/redis/net/.libs/tls_none.o")) {
	die('skip the objects of the build are not here');
}
$options = (string) @file_get_contents("$root/config.nice");
if (str_contains($options, 'sanitizer')) {
	die('skip a build with sanitizers is linked otherwise');
}
if (str_contains($options, 'musl-gcc')) {
	die('skip this build has no OpenSSL itself, and another C library than cc');
}
exec('command -v cc && command -v php-config', $lines, $exit);
if ($exit !== 0) {
	die('skip there is no compiler, or no php-config');
}
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';

/* What configure found is in config.h, and only these two files look whether it was OpenSSL: without that header they are
 * what a machine without OpenSSL compiles. All else is this build's. */
$root = realpath(__DIR__ . '/../..');
$folder = temp_folder();
$objects = array_filter([...glob("$root/.libs/*.o"), ...glob("$root/src/*/.libs/*.o"), ...glob("$root/src/*/*/.libs/*.o")], fn ($file) => !str_starts_with(basename($file), 'tls'));
$words = fn (array $all) => implode(' ', array_map('escapeshellarg', $all));
[$exit, $said] = run_command(['sh', '-c', "cd $folder && cc -std=gnu11 -fPIC -fvisibility=hidden \$(php-config --includes) -c "
	. $words(["$root/src/redis/net/tls.c", "$root/src/redis/net/tls_none.c"]) . ' && cc -shared -o ratelimit.so tls.o tls_none.o ' . $words($objects) . ' -lhiredis']);
same([0, ''], [$exit, $said], 'built');

$php = [getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY, '-n', '-d', "extension=$folder/ratelimit.so", '-d', 'ratelimit.shm_path=private', '-r'];
[$exit, $said] = run_command([...$php, 'var_dump(FrequencyLimit::doHandle("a", 1, 60, 1), FrequencyLimit::doHandle("a", 1, 60, 1));']);
same("bool(true)\nbool(false)\n", $said, 'it works');
foreach (['rediss://10.0.0.5', 'redis://10.0.0.5?tls=1', 'redis+cluster://10.0.0.5?tls=1'] as $dsn) {
	[, $said] = run_command([...$php, 'try { (new FrequencyLimit\Limiter("a", FrequencyLimit\Limit::fixedWindow(1, 1), $argv[1]))->consume(1); }
		catch (FrequencyLimit\InvalidArgument $e) { echo "refused: ", $e->getMessage(); }', $dsn]);
	ok(str_starts_with($said, 'refused: ') && str_contains($said, 'does not support TLS') && str_contains($said, 'OpenSSL'), "$dsn: $said");
}
[, $said] = run_command([...$php, 'var_dump(ini_set("ratelimit.store", "rediss://10.0.0.5"));']);
ok(str_contains($said, 'does not support TLS') && str_contains($said, 'bool(false)'), "the setting: $said");
done();
?>
--EXPECT--
done
