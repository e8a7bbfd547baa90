--TEST--
ratelimit.ini and ratelimit.zh-CN.ini have each setting once with its default, and load the extension
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/readme.inc';

[, $json] = run_command([getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY, '-n', '-d', 'extension=' . extension_file(), '-r',
	'echo json_encode(ini_get_all("ratelimit", false));']);
$real = array_map(strval(...), json_decode($json, true));
ksort($real);
foreach (['ratelimit.ini', 'ratelimit.zh-CN.ini'] as $file) {
	preg_match_all('/^;(ratelimit\.\w+) =(?: "?([^"\n]*)"?)?$/m', readme($file), $lines, PREG_SET_ORDER);
	$told = array_combine(array_column($lines, 1), array_map(fn (array $line): string => $line[2] ?? '', $lines));
	same(count($lines), count($told), "$file: no setting twice");
	ksort($told);
	same($real, $told, $file);
	same(1, preg_match('/^extension=ratelimit$/m', readme($file)), "$file: loads the extension");

	/* As PHP reads it, with each setting switched on. */
	$all = parse_ini_string(preg_replace('/^;(ratelimit\.)/m', '$1', readme($file)), false, INI_SCANNER_RAW);
	same(count($real) + 1, count($all), "$file: PHP reads it");
}
done();
?>
--EXPECT--
done
