--TEST--
Without memfd_create() and without /proc workers share exact counts, and the slot of a killed one is free
--EXTENSIONS--
ratelimit
pcntl
posix
--SKIPIF--
<?php
require __DIR__ . '/../include/tools.inc';
needs_tool('forbid_memfd');
exec(escapeshellarg(tool('forbid_memfd')) . ' true 2>&1', $output, $exit);
if ($exit !== 0) {
	die('skip no seccomp filter can be set here: ' . implode(' ', $output));
}
exec("unshare --mount sh -c 'mount -t tmpfs none /proc' 2>&1", $output, $exit);
if ($exit !== 0) {
	die('skip /proc cannot be hidden here: ' . implode(' ', $output));
}
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/tools.inc';

$hidden = ['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs none /proc && exec "$@"', 'sh'];
$forbidden = [tool('forbid_memfd')];
$probe = ['sh', '-c', 'test -e /proc/self/fd || echo no proc'];
same([0, "no proc\n"], run_command([...$hidden, ...$probe]), '/proc is hidden');

/* Four workers at once, and a fifth that is killed; then one after the other. */
$code = <<<'PHP'
	$admitted = 0;
	$call = fn () => (int) FrequencyLimit::doHandle('a', 1, 3600, 100);
	$pids = [];
	foreach (range(0, 4) as $i) {
		[$read, $write[$i]] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
		if (($pids[] = pcntl_fork()) === 0) {
			for ($n = 0; $n < 40 && $i < 4; $n++) {
				$admitted += $call();
			}
			$i < 4 || FrequencyLimit::doHandle('b', 1, 3600, 100);
			fwrite($read, "$admitted\n");
			$i < 4 || sleep(3600);
			exit(0);
		}
		$from[$i] = $write[$i];
	}
	foreach ($from as $i => $pipe) {
		$admitted += (int) fgets($pipe);
	}
	posix_kill($pids[4], 9);
	foreach ($pids as $pid) {
		pcntl_waitpid($pid, $status);
	}
	for ($n = 0; $n < 100; $n++) {
		if (pcntl_fork() === 0) {
			$call();
			posix_kill(posix_getpid(), 9);
		}
		pcntl_wait($status);
	}
	$stats = FrequencyLimit\Monitor::stats();
	echo $admitted, ' ', $stats['segment'], ' ', $stats['workers'], ' ', $stats['errors'];
	PHP;
$file = temp_folder() . '/segment';
foreach (['memory' => [], 'file' => ['ratelimit.shm_path' => $file]] as $kind => $ini) {
	foreach (['as usual' => [], 'no memfd' => $forbidden, 'no /proc' => $hidden, 'neither' => [...$hidden, ...$forbidden]] as $how => $prefix) {
		@unlink($file);
		same([0, "100 $kind 0 0"], run_command([...$prefix, ...php_command($ini, ['-r', $code])]), "$kind, $how");
	}
}
done();
?>
--EXPECT--
done
