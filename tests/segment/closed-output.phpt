--TEST--
A process without standard input, output and error prints into none of the module's files
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/user.inc';
needs_apart();
?>
--FILE--
<?php
require __DIR__ . '/user.inc';
run_apart(__FILE__);

$folder = temp_folder();
$call = 'echo (int) FrequencyLimit::doHandle("comment", 7, 600, 2);';
foreach (['user' => [], 'file' => ['ratelimit.shm_path' => "$folder/segment"]] as $kind => $ini) {
	same([0, '1'], run_php($call, $ini), "$kind: the first call");
	foreach (['>&-', '2>&-', '<&- >&- 2>&-'] as $closed) {
		$code = 'FrequencyLimit::peek("comment", 7, 600, 2); echo str_repeat("printed ", 4096); file_put_contents("php://stderr", str_repeat("printed ", 4096));
			foreach ([0, 1, 2] as $fd) { str_contains((string) @readlink("/proc/self/fd/$fd"), "ratelimit") && touch("' . $folder . '/taken"); }';
		run_command(['sh', '-c', "exec \"\$@\" $closed", 'sh', ...php_command($ini, ['-r', $code])]);
	}
	same([0, '1'], run_php($call, $ini), "$kind: the second one");
	same([0, '0'], run_php($call, $ini), "$kind: the third one is refused");
}
ok(!file_exists("$folder/taken"), 'no descriptor of the module below 3');
done();
?>
--EXPECT--
done
