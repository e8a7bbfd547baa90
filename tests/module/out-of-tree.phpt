--TEST--
The extension configures and compiles in another folder than its sources, which stay as they are
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/tools.inc';
skip_slow();
exec('command -v cc && command -v phpize && command -v php-config && pkg-config --exists hiredis', $lines, $exit);
if ($exit !== 0) {
	die('skip there is no compiler, phpize, php-config or hiredis');
}
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';

$root = realpath(__DIR__ . '/../..');
$folder = temp_folder();
$shell = fn (string $line) => run_command(['sh', '-ec', "cd $folder; $line"]);
/* Sources that no build has been in: an object or a generated header there would be found. */
[$exit, $said] = $shell("mkdir source build; cd $root; tar --create --exclude='*.o' --exclude='*.lo' --exclude='.libs' --exclude='*.dep' --exclude='*_lua.h'"
	. " config.m4 Makefile.frag php_ratelimit.h ratelimit.c ratelimit_arginfo.h src scripts | tar --extract --directory $folder/source");
same(0, $exit, "copied: $said");
[$exit, $said] = $shell('(cd source && phpize); find source | sort >before; cd build; ../source/configure --with-php-config=$(command -v php-config) --without-ratelimit-tls');
same(0, $exit, 'configured: ' . substr($said, -500));
[$exit, $said] = $shell('cd build; make src/redis/script.lo src/redis/key.lo src/shm/store/startup.lo ratelimit.lo; make -n install INSTALL_ROOT=/nowhere');
same(0, $exit, 'compiled: ' . substr($said, -1000));
ok(is_file("$folder/build/src/redis/limiter_lua.h") && is_file("$folder/build/src/redis/.libs/script.o"), 'the build has the results');
[$exit, $said] = $shell('find source | sort | diff before -');
same([0, ''], [$exit, $said], 'the sources stay as they are');
done();
?>
--EXPECT--
done
