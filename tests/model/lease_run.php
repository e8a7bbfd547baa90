<?php
/* lease_run.php KIND MACHINES CALLS SEED: random programs of leased limits, until so many calls have been answered as leases.inc
 * answers them. KIND: autoLeased. Started by run.inc. */
require __DIR__ . '/run.inc';
require __DIR__ . '/leases.inc';
require __DIR__ . '/lease_comparison.inc';

[, $kind, $n, $calls, $seed] = $argv;
$machines = new Model\Machines((int) $n);
$comparison = new Model\LeaseComparison($machines, (int) $n);
$found = $comparison->run((int) $calls, (int) $seed);
$machines->end();
if ($found !== null) {
	echo $found;
	exit(1);
}
printf("%s, machines %d: %d programs, %d calls, all answered as the model answers\n", $kind, $n, $comparison->programs, $comparison->calls);
ksort($comparison->coverage);
foreach ($comparison->coverage as $what => $count) {
	printf("  %7d  %s\n", $count, $what);
}
