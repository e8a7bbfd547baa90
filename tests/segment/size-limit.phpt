--TEST--
A limit on the size of a file (ulimit -f) below ratelimit.shm_size: PHP starts, names it, leaves no file behind
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';
require __DIR__ . '/../include/fpm.inc';
$folder = temp_folder();
$limited = fn (array $command) => run_command(['sh', '-c', 'ulimit -f 64; exec "$@"', 'sh', ...$command]);
$show = ['display_startup_errors' => '1', 'display_errors' => '1', 'log_errors' => '0', 'html_errors' => '0'];
$call = ['-r', 'echo "started ", (int) FrequencyLimit::doHandle("a", 1, 3600, 1);'];

[$exit, $output] = $limited(php_command(['ratelimit.shm_path' => "$folder/segment"] + $show, $call));
same(0, $exit, "a file: exit code ($output)");
ok((bool) preg_match('/Warning: .*\/segment: the limit on the size of a file \(ulimit -f\) is below ratelimit.shm_size/', $output), "the reason: $output");
ok(str_contains($output, 'started'), "PHP starts: $output");
same([], array_values(array_diff(scandir($folder), ['.', '..'])), 'no file is left');

[$exit, $output] = $limited(php_command($show, $call));
same([0, 'started 1'], [$exit, $output], 'memory needs no file');

if (fpm_binary() !== null) {
	file_put_contents("$folder/fpm.conf", "[global]\n[www]\nlisten = $folder/sock\npm = static\npm.max_children = 1\nuser = nobody\n");
	[$exit, $output] = $limited([fpm_binary(), '-n', '-R', '-t', '-y', "$folder/fpm.conf", '-d', 'extension=' . extension_file(), ...ini_options(['log_errors' => '1'] + $show)]);
	same(0, $exit, "php-fpm -t: exit code ($output)");
	ok((bool) preg_match('/a reload will lose the counts: .*ulimit -f/', $output), "php-fpm names what is lost: $output");
}
done();
?>
--EXPECT--
done
