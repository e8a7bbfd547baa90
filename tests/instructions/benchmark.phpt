--TEST--
scripts/bench.sh runs its scenes, checks the count of every contestant, and names the missing ones
--EXTENSIONS--
ratelimit
pcntl
posix
--SKIPIF--
<?php
require __DIR__ . '/instructions.inc';
needs_compiler();
if (ini_get('opcache.enable_cli')) {
	die('skip takes opcache as it needs it: once is enough');
}
if (!extension_loaded('Zend OPcache') && !is_file(ini_get('extension_dir') . '/opcache.so')) {
	die('skip opcache is not installed');
}
?>
--FILE--
<?php
require __DIR__ . '/instructions.inc';
$folder = temp_folder();
$top = realpath(__DIR__ . '/../..');
mkdir("$folder/results/embedded", 0700, true);
$floor = floor_module($folder);
foreach (['memory', 'series', 'two'] as $scene) {
	$options = extension_loaded('Zend OPcache') ? [] : ['zend_extension' => 'opcache'];
	[$exit, $said] = run_command(php_command(['extension' => $floor, 'opcache.enable_cli' => '1', 'opcache.file_update_protection' => '0',
		'opcache.jit' => 'disable'] + $options, ["$top/bench/run.php", $scene, '1', '1', "$folder/results/embedded/$scene-off.json"]));
	same([0, ''], [$exit, $said], $scene);
}
$memory = json_decode(file_get_contents("$folder/results/embedded/memory-off.json"), true);
same(10, $memory['exact']['dohandle'], 'ten of a limit of ten');
foreach (['admit', 'refuse', 'random'] as $series) {
	ok($memory[$series]['dohandle']['rounds'][0] > 0, "doHandle() takes its time: $series");
}
if (!extension_loaded('apcu')) {
	ok(in_array('apcu_inc', $memory['missing'], true), 'APCu is named as missing');
}
[$exit, $report] = run_command(php_command([], ["$top/bench/report.php", "$folder/results"]));
same(0, $exit, 'the report');
foreach (['`FrequencyLimit::doHandle()`', 'Not measured, because it is not installed: ', '### Budgets'] as $part) {
	ok(str_contains($report, $part), "the report says $part");
}
done();
?>
--EXPECT--
done
