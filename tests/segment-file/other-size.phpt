--TEST--
A segment file of another ratelimit.shm_size keeps its counts, or PHP warns with the reason
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';
$file = temp_folder() . '/segment';
$run = fn (string $size) => run_php('echo (int) FrequencyLimit::doHandle("a", 1, 3600, 1), " ", FrequencyLimit::stats()["bytes"];',
	['ratelimit.shm_path' => $file, 'ratelimit.shm_size' => $size, 'display_startup_errors' => '1', 'display_errors' => '1', 'log_errors' => '0', 'html_errors' => '0']);

[, $first] = $run('1M');
ok((bool) preg_match('/^1 \d+$/', $first), "the first: $first");
[$exit, $second] = $run('2M');
same(0, $exit, "exit code ($second)");
/* Never silently: a process that goes on with counts it does not share would be a second, unlimited site. */
ok((bool) preg_match('/Warning: ratelimit has no shared memory: .*\/segment: it has \d+ bytes, ratelimit.shm_size says 2097152 .*remove the file and '
	. 'restart PHP.*is refused \(ratelimit.on_failure is local\).*\n0 0$/s', $second), "with another size: $second");
[, $third] = $run('1M');
ok((bool) preg_match('/^0 \d+$/', $third), "what was counted is still there for the old size: $third");
done();
?>
--EXPECT--
done
