<?php
/* run.php KIND CALLS SEED LENGTH: random programs of LENGTH calls each, until CALLS have been answered. On the embedded
 * store, or, when SIMCLOCK_FILE says so, on ratelimit.store under the simulated clock. Started by run.inc. */
require __DIR__ . '/run.inc';

[, $kind, $calls, $seed, $length] = $argv;
$time = getenv('CORE_PLAYER') ? null : store_time();
$comparison = new Model\Comparison($time);
$failing = $comparison->run($kind, (int) $calls, (int) $seed, (int) $length);
if ($failing) {
	echo $comparison->report($failing);
	exit(1);
}
ksort($comparison->coverage);
printf("%s, %s: %d programs, %d calls, all answered as the model answers\n", $comparison->store(), $kind, $comparison->programs, $comparison->calls);
foreach ($comparison->coverage as $what => $n) {
	printf("  %7d  %s\n", $n, $what);
}
