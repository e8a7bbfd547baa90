--TEST--
A place of #[ConcurrencyLimit] comes free after exit(), a fatal error, the end of a script and the death of its worker
--EXTENSIONS--
ratelimit
pcntl
--INI--
ratelimit.shm_path=
--FILE--
<?php
require __DIR__ . '/concurrency.inc';

/** Runs $work in a fork, which ends as a script does. Returns its exit status as pcntl_waitpid() has it. */
function ended(callable $work): int
{
	if (($pid = pcntl_fork()) === 0) {
		pcntl_alarm(300);
		ini_set('display_errors', '0');
		ini_set('log_errors', '0');
		ob_start(fn () => '');
		(new Held())->run($work);
		exit(9);
	}
	pcntl_waitpid($pid, $status);
	return $status;
}

same(3, pcntl_wexitstatus(ended(function () { exit(3); })), 'exit()');
same(0, in_use(), 'after exit()');
$status = ended(function () {
	register_shutdown_function(function () { exit(10 + in_use()); });
	exit(3);
});
same(10, pcntl_wexitstatus($status), 'exit() frees the place before the shutdown functions');
same(255, pcntl_wexitstatus(ended(function () { ini_set('memory_limit', '8M'); str_repeat('x', 100_000_000); })), 'a fatal error');
same(0, in_use(), 'after a fatal error');
same(255, pcntl_wexitstatus(ended(fn () => throw new DomainException())), 'an uncaught exception');
same(0, in_use(), 'after an uncaught exception');
$status = ended(function () {
	$GLOBALS['kept'] = (new Held())->generate();
	$GLOBALS['kept']->current();
	exit(20 + in_use());
});
same(22, pcntl_wexitstatus($status), 'a generator that outlives the script');
same(0, in_use(), 'after its script');
same(9, pcntl_wtermsig(ended(function () { send_signal(getmypid(), 9); pause(60); })), 'a killed worker');
same(null, refusal(fn () => (new Held())->run(fn () => (new Held())->run(fn () => true))), 'after its death');

/* A fork shares no place with its parent. */
(new Held())->run(function () {
	if (($pid = pcntl_fork()) === 0) {
		exit(0);
	}
	pcntl_waitpid($pid, $status);
	same(1, in_use(), 'the end of a fork leaves the place of its parent');
});
same(0, in_use(), 'which the parent ends');

done();
?>
--EXPECT--
done
