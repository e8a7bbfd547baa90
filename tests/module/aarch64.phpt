--TEST--
The C code compiles for aarch64 without a warning, and nothing accesses memory between LDAXP and STLXP, also at -O0
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/tools.inc';
skip_slow();
exec('command -v aarch64-linux-gnu-gcc && echo "#include <stdio.h>" | aarch64-linux-gnu-gcc ${AARCH64_SYSROOT:+--sysroot=$AARCH64_SYSROOT} -fsyntax-only -x c - 2>&1', $lines, $exit);
if ($exit !== 0) {
	die('skip there is no compiler for aarch64 with its headers (gcc-aarch64-linux-gnu, libc6-dev-arm64-cross)');
}
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require_once __DIR__ . '/../include/php.inc';

$root = realpath(__DIR__ . '/../..');
$folder = temp_folder();
/* hiredis' headers do not depend on the processor; those of this machine's C library do. */
[$exit, $found] = run_command(['sh', '-c', 'for at in $(pkg-config --cflags-only-I hiredis | sed "s/-I//g") /usr/include/hiredis; do [ -f "$at/hiredis.h" ] && echo "$at" && break; done']);
$rooms = ['core', 'shm', 'guard'];
if ($exit === 0) {
	symlink(trim($found), "$folder/hiredis");
	$rooms[] = 'redis';
}
foreach (['counter', 'limiter'] as $name) {
	file_put_contents("$folder/{$name}_lua.h", "static const char rl_redis_{$name}_lua[] = \"\";\n");
}
$compile = function (string $options, string ...$words) use ($folder): array {
	return run_command(['sh', '-c', "aarch64-linux-gnu-gcc \${AARCH64_SYSROOT:+--sysroot=\$AARCH64_SYSROOT} -std=gnu11 -Wall -Wextra -Werror -iquote $folder -isystem $folder $options \"\$@\"", 'sh', ...$words]);
};
foreach (['-O0', '-O2 -DRL_THREADS=1', '-O2 -march=armv8.1-a'] as $options) {
	foreach ($rooms as $room) {
		[$exit, $said] = $compile("$options -fsyntax-only", ...glob("$root/src/$room/*.c"), ...glob("$root/src/$room/*/*.c"));
		same([0, ''], [$exit, $said], "$room, $options");
	}
}

file_put_contents("$folder/cas.c", "#include \"$root/src/shm/segment/atomic128.h\"\nbool cas(rl_pair *p, uint64_t a, uint64_t b, uint64_t c, uint64_t d) { return rl_pair_cas(p, a, b, c, d); }\n");
foreach (['-O0' => true, '-O1' => true, '-O2' => true, '-Os' => true, '-O0 -march=armv8.1-a' => false, '-O2 -march=armv8.1-a' => false] as $options => $exclusive) {
	[$exit, $assembly] = $compile("$options -S -o -", "$folder/cas.c");
	same(0, $exit, $options);
	ok(str_contains($assembly, 'caspal'), "$options: LSE");
	same($exclusive, (bool) preg_match('/\bldaxp\b(.*?)\bstlxp\b/s', $assembly, $between), "$options: exclusive loads and stores");
	ok(!preg_match('/^\s*(?:ld|st)\w+\s/m', substr($between[1] ?? '', strpos(($between[1] ?? '') . "\n", "\n"))), "$options: memory is accessed between them:" . ($between[1] ?? ''));
}
done();
?>
--EXPECT--
done
