--TEST--
An untrusted segment file is rejected with a reason and stays untouched, and PHP starts
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';
$folder = temp_folder();
$file = "$folder/segment";
$call = 'echo "started ", (int) FrequencyLimit::doHandle("a", 1, 3600, 1);';
$run = fn (string $path) => run_php($call, ['ratelimit.shm_path' => $path, 'ratelimit.shm_size' => '1M', 'display_startup_errors' => '1', 'display_errors' => '1', 'log_errors' => '0', 'html_errors' => '0']);

/* A refused file: PHP starts and reports the reason, and the file has not changed. */
$refused = function (string $what, string $path) use ($run, $file) {
	$before = is_file($path) ? [fileperms($path), hash_file('sha256', $path)] : null;
	[$exit, $output] = $run($path);
	clearstatcache();
	same(0, $exit, "$what: exit code ($output)");
	ok((bool) preg_match('/started [01]$/', $output), "$what: PHP starts: $output");
	ok((bool) preg_match('/Warning: .*' . preg_quote(basename($path), '/') . '/', $output), "$what: a warning names the file: $output");
	same($before, is_file($path) ? [fileperms($path), hash_file('sha256', $path)] : null, "$what: left as it was");
};
$fresh = function () use ($file, $run) {
	@unlink($file);
	same([0, 'started 1'], $run($file), 'a fresh one');
	clearstatcache();
};

$fresh();
symlink($file, "$folder/link");
$refused('a symbolic link', "$folder/link");

foreach ([0620, 0602, 0666, 0640, 0604] as $mode) {
	$fresh();
	chmod($file, $mode);
	$refused(sprintf('mode %o', $mode), $file);
}
$fresh();
link($file, "$folder/second-name");
$refused('a file with two names', $file);
unlink("$folder/second-name");

if (is_root()) {
	$fresh();
	chown($file, 65534);
	$refused('a foreign owner', $file);
}
mkdir("$folder/folder");
$refused('a folder', "$folder/folder");
exec('mkfifo ' . escapeshellarg("$folder/fifo"));
chmod("$folder/fifo", 0600);
$refused('a fifo', "$folder/fifo");
$refused('a folder that is not there', "$folder/nowhere/segment");

/* A file with other content is not overwritten. */
foreach (['text' => "precious\n", 'zeroes' => str_repeat("\0", 1 << 20), 'noise' => random_bytes(1 << 20)] as $what => $content) {
	@unlink($file);
	file_put_contents($file, $content);
	chmod($file, 0600);
	$refused($what, $file);
}
done();
?>
--EXPECT--
done
