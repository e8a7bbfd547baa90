--TEST--
A file restored with holes: they are filled when it is opened, or a full disk is named; no SIGBUS
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
exec("mount -t tmpfs -o size=4m none $folder");
at_end(fn () => exec("umount $folder"));
$run = fn (string $file) => run_php('for ($i = 1, $n = 0; $i <= 20000; $i++) $n += (int) FrequencyLimit::doHandle("a", $i, 3600, 1); echo "decided $n";',
	['ratelimit.shm_path' => "$folder/$file", 'ratelimit.shm_size' => '1M', 'display_startup_errors' => '1', 'display_errors' => '1', 'log_errors' => '0', 'html_errors' => '0']);
$blocks = function (string $file) use ($folder): int {
	clearstatcache();
	return stat("$folder/$file")['blocks'] * 512;
};

run_php('FrequencyLimit::doHandle("b", 1, 3600, 1);', ['ratelimit.shm_path' => "$folder/whole", 'ratelimit.shm_size' => '1M']);
foreach (['filled', 'full'] as $file) {
	exec("cp --sparse=always $folder/whole $folder/$file");
	chmod("$folder/$file", 0600);
	ok($blocks($file) < 1 << 19, 'the restored file has holes');
}
[$exit, $output] = $run('filled');
same([0, 'decided 20000'], [$exit, $output], 'with room on the disk');
ok($blocks('filled') >= 1 << 20, 'the holes are filled');

exec("dd if=/dev/zero of=$folder/other bs=4k 2>/dev/null");
[$exit, $output] = $run('full');
same(0, $exit, "without room: exit code ($output)");
ok((bool) preg_match('/Warning: .*\/full: it has holes that cannot be filled: No space left on device/', $output), "the reason: $output");
ok(str_contains($output, 'decided '), "PHP starts: $output");
done();
?>
--EXPECT--
done
