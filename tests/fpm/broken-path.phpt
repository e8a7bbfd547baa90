--TEST--
php-fpm: an unusable ratelimit.shm_path counts in memory, warns in the log and stats(), and survives reloads
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/fpm.inc';
needs_fpm();
?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.inc';
$path = temp_folder(0755) . '/nowhere/segment';
$fpm = new Fpm(['ratelimit.shm_path' => $path, 'ratelimit.shm_size' => '1M', 'display_errors' => '0', 'display_startup_errors' => '0', 'log_errors' => '1'], ['www' => [], 'other' => []]);
$once = fn (int $number) => "return FrequencyLimit::doHandle('broken', 1, 3600, $number);";
same([true, false], [$fpm($once(1)), $fpm($once(1))], 'calls are counted');
same([false, true], [$fpm($once(1), 'other'), $fpm($once(2), 'other')], 'for all pools together');
$warning = "cannot use the file of the shared memory: ratelimit.shm_path $path: No such file or directory. Counts are kept in memory without a file";
foreach ([1, 2] as $reload) {
	[$warnings, $segment] = $fpm('$s = FrequencyLimit\Monitor::stats(); return [$s["warnings"], $s["segment"]];');
	same([1, 'memory'], [count($warnings), $segment], 'one warning');
	ok(str_starts_with($warnings[0], $warning), "stats() has it: $warnings[0]");
	same($reload, substr_count($fpm->log(), $warning), 'the log has it once for each start');
	$fpm->reload();
	same([false, true], [$fpm($once($reload + 1)), $fpm($once($reload + 2))], "reload $reload keeps the counts");
}
mkdir(dirname($path));
chmod(dirname($path), 0755);
if (is_root()) {
	preg_match('/^nobody:[^:]*:(\d+)/m', file_get_contents('/etc/passwd'), $nobody);
	chown(dirname($path), (int) $nobody[1]);
}
$fpm->reload();
same(['file', []], $fpm('$s = FrequencyLimit\Monitor::stats(); return [$s["segment"], $s["warnings"]];'), 'a reload takes up the mended path');
done();
?>
--EXPECT--
done
