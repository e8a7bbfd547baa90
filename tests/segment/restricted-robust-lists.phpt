--TEST--
Without set_robust_list (seccomp, emulators) workers that are killed free their slots, and no call fails
--EXTENSIONS--
ratelimit
--SKIPIF--
<?php
require __DIR__ . '/../include/tools.inc';
needs_tool('refuse');
if (!function_exists('pcntl_fork')) {
	die('skip pcntl is missing');
}
?>
--FILE--
<?php
require __DIR__ . '/../include/assert.inc';
require __DIR__ . '/../include/tools.inc';

/* The 1M segment has slots for 128 workers. */
$code = <<<'PHP'
for ($i = 0; $i < 150; $i++) {
	$pid = pcntl_fork();
	if ($pid === 0) {
		(new FrequencyLimit\Limiter('killed', FrequencyLimit\Limit::fixedWindow(1000, 3600)))->consume($i);
		exec('kill -9 ' . getmypid());
	}
	pcntl_waitpid($pid, $status);
	if (!pcntl_wifsignaled($status)) {
		exit("worker $i ended by itself\n");
	}
}
ini_set('ratelimit.on_failure', 'throw');
$last = (new FrequencyLimit\Limiter('killed', FrequencyLimit\Limit::fixedWindow(1000, 3600)))->consume(0);
echo $last->remaining, ' ', FrequencyLimit\Monitor::stats()['errors'], ' ', FrequencyLimit\Monitor::stats()['workers'] <= 128 ? 'at most 128' : 'more';
PHP;
foreach (['set_robust_list', 'set_robust_list=EPERM'] as $refusal) {
	[$exit, $said] = run_command([tool('refuse'), $refusal, '--', ...php_command(['ratelimit.shm_size' => '1M'], ['-r', $code])]);
	same([0, '998 0 at most 128'], [$exit, $said], $refusal);
}
done();
?>
--EXPECT--
done
