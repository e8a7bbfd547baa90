--TEST--
bin/ratelimit ban has its line in the log, also where nobody reads its output
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/command.inc';

$folder = temp_folder(0755);
$ini = ['ratelimit.shm_path' => "$folder/segment", 'error_log' => "$folder/log", 'log_errors' => '1'];
foreach (['>/dev/full', '| true', '>&-'] as $n => $output) {
	$command = php_command($ini, [__DIR__ . '/../../bin/ratelimit', 'ban', 'api', "one$n", "two$n", '--limit=log:5/15m', '--for=1h']);
	run_command(['sh', '-c', implode(' ', array_map('escapeshellarg', $command)) . " $output"]);
	same(1, preg_match("/banned for 1h from api: one$n, two$n\$/m", (string) @file_get_contents("$folder/log")), $output);
	same([1, 1], [ratelimit(['peek', 'api', "one$n"], $ini)[0], ratelimit(['peek', 'api', "two$n"], $ini)[0]], 'both are banned');
}
done();
?>
--EXPECT--
done
