--TEST--
A segment file of another ratelimit.shm_size keeps its counts, or PHP warns with the reason
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';
$file = temp_folder() . '/segment';
$run = fn (string $size) => run_php('echo (int) FrequencyLimit::doHandle("a", 1, 3600, 1), " ", FrequencyLimit\Monitor::stats()["bytes"];',
	['ratelimit.shm_path' => $file, 'ratelimit.shm_size' => $size, 'display_startup_errors' => '1', 'display_errors' => '1', 'log_errors' => '0', 'html_errors' => '0']);

[, $first] = $run('1M');
ok((bool) preg_match('/^1 \d+$/', $first), "the first: $first");
[$exit, $second] = $run('2M');
same(0, $exit, "exit code ($second)");
/* Calls are counted apart from the file then, and never silently. */
ok((bool) preg_match('/Warning: .*\/segment: it has \d+ bytes, ratelimit.shm_size says 2097152 .*remove the file and '
	. 'restart PHP.*in memory without a file instead.*\n1 2097152$/s', $second), "with another size: $second");
[, $refused] = run_php('echo (int) FrequencyLimit::doHandle("a", 1, 3600, 1), " ", FrequencyLimit\Monitor::stats()["bytes"];',
	['ratelimit.shm_path' => $file, 'ratelimit.shm_size' => '2M', 'ratelimit.on_failure' => 'deny', 'display_startup_errors' => '1', 'display_errors' => '1',
		'log_errors' => '0', 'html_errors' => '0']);
ok((bool) preg_match('/Warning: cannot set up the shared memory: .*All calls are refused \(ratelimit.on_failure=deny\).*\n0 0$/s', $refused), "with deny: $refused");
[, $third] = $run('1M');
ok((bool) preg_match('/^0 \d+$/', $third), "what was counted is still there for the old size: $third");
done();
?>
--EXPECT--
done
