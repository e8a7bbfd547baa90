--TEST--
A segment of the image before that is not used any more is closed: no program inherits it or finds it announced
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';
$folder = temp_folder();
file_put_contents("$folder/old", str_repeat("\0", 4096));
$st = stat("$folder/old");
$ini = ['ratelimit.shm_path' => "$folder/segment", 'ratelimit.shm_size' => '1M'];
/* As FPM's master hands it on to itself, and its next image has another setting. */
foreach (['a file' => $ini, 'memory' => []] as $what => $settings) {
	$announced = ['RATELIMIT_SEGMENT' => "9:$st[dev]:$st[ino]"];
	$process = proc_open(php_command($settings, ['-r', 'echo FrequencyLimit\Monitor::stats()["segment"], shell_exec("ls -l /proc/self/fd; env"), (int) getenv("RATELIMIT_SEGMENT");']),
		[1 => ['pipe', 'w'], 9 => ['file', "$folder/old", 'r+']], $pipes, null, $announced + getenv());
	$output = stream_get_contents($pipes[1]);
	same(0, proc_close($process), "$what: exit code");
	ok(strlen($output) > 50, "$what: the program ran: $output");
	same(0, preg_match('~/old|RATELIMIT_SEGMENT~', $output), "$what: a program shows: $output");
}
/* A number that means another file by now is left alone. */
$process = proc_open(php_command($ini, ['-r', 'echo shell_exec("ls -l /proc/self/fd; env");']),
	[1 => ['pipe', 'w'], 9 => ['file', "$folder/old", 'r+']], $pipes, null, ['RATELIMIT_SEGMENT' => "9:$st[dev]:1"] + getenv());
$output = stream_get_contents($pipes[1]);
proc_close($process);
same([1, 0], [preg_match('~/old~', $output), preg_match('~RATELIMIT_SEGMENT~', $output)], 'another file stays open');
done();
?>
--EXPECT--
done
