--TEST--
ratelimit.shm_path: unrelated processes share counts, and a restart keeps them
--EXTENSIONS--
ratelimit
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/php.inc';
$file = temp_folder() . '/segment';
$ini = ['ratelimit.shm_path' => $file, 'ratelimit.shm_size' => '1M'];
$call = 'foreach (range(1, 4) as $i) echo (int) FrequencyLimit::doHandle("a", 1, 3600, 10);';

same([0, '1111'], run_php($call, $ini), 'the first process');
same([0, '1111'], run_php($call, $ini), 'the second');
same([0, '1100'], run_php($call, $ini), 'the third finds eight');
same([0, '0000'], run_php($call, $ini), 'the fourth finds ten');
same([0, '1111'], run_php($call), 'one without the file has counts of its own');

same(0600, fileperms($file) & 07777, 'its mode');
same('file', json_decode(run_php('echo json_encode(FrequencyLimit\Monitor::stats());', $ini)[1])->segment, 'stats() tells');
clearstatcache();
between(1 << 20, filesize($file), (1 << 20) + 65536, 'its size');
ok(stat($file)['blocks'] * 512 >= 1 << 20, 'its space is allocated, not a hole');
same(['segment'], array_values(array_diff(scandir(dirname($file)), ['.', '..'])), 'nothing else is left in its folder');

/* An open umask does not open it. */
unlink($file);
umask(0);
run_php($call, $ini);
clearstatcache();
same(0600, fileperms($file) & 07777, 'its mode with umask 0');

/* In containers all processes may have the same number: whoever comes at the same time gets the segment, too; and what one
 * that was killed has left is in nobody's way. */
exec('unshare --pid --fork true 2>/dev/null', $said, $cannot);
for ($round = 0; $round < 5 && !$cannot; $round++) {
	@unlink($file);
	touch("$file.1");
	touch("$file.2");
	$running = [];
	foreach (range(1, 3) as $i) {
		$running[] = proc_open(['unshare', '--pid', '--fork', ...php_command($ini, ['-r', 'echo FrequencyLimit\Monitor::stats()["segment"];'])],
			[1 => ['pipe', 'w']], $pipes[$i]);
	}
	same(['file', 'file', 'file'], array_map(fn ($pipe) => stream_get_contents($pipe[1]), array_values($pipes)), "round $round");
	array_map(proc_close(...), $running);
}
done();
?>
--EXPECT--
done
