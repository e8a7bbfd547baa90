--TEST--
A file system without room for the segment causes a warning, and no SIGBUS
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/php.inc';
if (!is_root()) {
	die('skip mounting a small tmpfs needs root');
}
$folder = temp_folder();
exec("mount -t tmpfs -o size=1m none $folder 2>&1", $output, $exit);
if ($exit !== 0) {
	die('skip a tmpfs cannot be mounted here: ' . implode(' ', $output));
}
exec("umount $folder");
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';
$folder = temp_folder();
exec("mount -t tmpfs -o size=1m none $folder");
at_end(fn () => exec("umount $folder"));

$run = fn (string $size) => run_php('echo "started ", (int) FrequencyLimit::doHandle("a", 1, 3600, 1), FrequencyLimit\Monitor::stats()["segment"];',
	['ratelimit.shm_path' => "$folder/segment", 'ratelimit.shm_size' => $size, 'display_startup_errors' => '1', 'display_errors' => '1', 'log_errors' => '0', 'html_errors' => '0']);

[$exit, $output] = $run('8M');
same(0, $exit, "exit code ($output)");
ok((bool) preg_match('/Warning: .*segment/', $output), "a warning: $output");
ok(str_contains($output, 'No space left'), "names the reason: $output");
ok(str_contains($output, 'started'), "PHP starts: $output");
same([], array_values(array_diff(scandir($folder), ['.', '..'])), 'half a segment is not left behind');
done();
?>
--EXPECT--
done
