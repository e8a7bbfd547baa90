<?php
/* Measures how often a call of limits with identities of their own (by()) is refused because another call has taken a part that
 * goes back: on the embedded store, in the worst case.
 *
 *     php -n -d extension=$PWD/modules/ratelimit.so bench/together.php [PROCESSES] [DECISIONS]
 *
 * A tenant's limit has one permit left. The other processes call for it all the time, each for a user that has none left: each of
 * these calls takes the tenant's permit and gives it back, or refuses before that. One process calls for a user with many: each
 * of its refusals is one that would not be there without the others. It gives its own permits back at once. */

use FrequencyLimit\{Limit, Limiter};

$processes = (int) ($argv[1] ?? 4);
$decisions = (int) ($argv[2] ?? 200_000);
if ($processes < 1 || $decisions < 1) {
	fwrite(STDERR, "Usage: together.php [PROCESSES] [DECISIONS]\n");
	exit(2);
}
$limiter = new Limiter('together', [
	'tenant' => Limit::fixedWindow(1, 36_000)->by('tenant'),
	'user' => Limit::slidingLog(10, 36_000)->by('user'),
]);
$user = new Limiter('together', ['user' => Limit::slidingLog(10, 36_000)->by('user')]);

/** Calls for a user without a permit, with a pause between two calls, until it is killed. */
function be_refused(Limiter $limiter, Limiter $user, string $tenant, int $i, int $pause_us): never
{
	$user->consume(['user' => "full $i"], 10);
	for (;;) {
		$limiter->consume(['tenant' => $tenant, 'user' => "full $i"]);
		if ($pause_us > 0) {
			usleep($pause_us);
		}
	}
}

printf("%d processes, %d decisions, on %d processors\n", $processes, $decisions, (int) shell_exec('nproc'));
foreach ([0 => 'without a pause', 1000 => 'each millisecond'] as $pause_us => $how) {
	/* A tenant of its own: a process that is killed in between leaves its part charged. */
	$pids = [];
	for ($i = 1; $i < $processes; $i++) {
		$pid = pcntl_fork();
		if ($pid === 0) {
			be_refused($limiter, $user, $how, $i, $pause_us);
		}
		$pids[] = $pid;
	}
	usleep(100_000);
	$refused = $repeated = $longest = 0;
	for ($i = 0; $i < $decisions; $i++) {
		for ($tries = 0; !($permit = $limiter->acquire(['tenant' => $how, 'user' => 'free']))->result->accepted; $tries++) {
		}
		$permit->cancel();
		$refused += $tries > 0 ? 1 : 0;
		$repeated += $tries;
		$longest = max($longest, $tries);
	}
	foreach ($pids as $pid) {
		posix_kill($pid, SIGKILL);
		pcntl_waitpid($pid, $status);
	}
	printf("the others call %s: %d calls are refused (%.4f %%), and pass after %d repetitions, %d at most\n",
		$how, $refused, 100 * $refused / $decisions, $repeated, $longest);
}
