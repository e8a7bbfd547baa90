--TEST--
Every way to call a limited function enforces its limit, with opcache's file cache
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . "/matrix.inc";
needs_opcache();
?>
--FILE--
<?php
require __DIR__ . '/matrix.inc';

$folder = temp_folder();
$ini = ['opcache.file_cache' => $folder] + OPCACHE;
for ($i = 0; $i < 2; $i++) {
	same(true, play($ini)['cached'], 'it came through opcache');
}
play($ini + ['opcache.file_cache_only' => '1']);
/* With attributes=0 the cached code, which has the calls, is not used. */
play($ini + ['ratelimit.attributes' => '0'], 300, 300);
play($ini + ['ratelimit.attributes' => '0'], 300, 300);
play($ini);

/* A PHP without the extension finds nothing there that calls it. */
$command = plain_php($ini, ['-r', 'require "' . __DIR__ . '/routes.inc"; for ($i = 0; $i < 9; $i++) Routes\direct(); echo Routes\Seen::$bodies;']);
$command = array_values(array_filter($command, fn (string $option): bool => !str_starts_with($option, 'extension=')));
unset($command[array_search('-d', $command, true)]);
same([0, '9'], run_command(array_values($command)), 'without the extension');
same(2, count(glob("$folder/*")), 'with the calls, and without');

done();
?>
--EXPECT--
done
