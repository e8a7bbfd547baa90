<?php
/* Plays random programs over outages (outages.inc): php -d extension=… tests/model/outages.php [CALLS] [SEED] [MACHINES] */
require __DIR__ . '/outages.inc';
$seed = (int) ($argv[2] ?? 1);
$machines = (int) ($argv[3] ?? 2);
try {
	$p = play_outages((int) ($argv[1] ?? 10_000), $seed, $machines);
} catch (\Exception $e) {
	echo $e->getMessage(), "\n";
	exit(1);
}
printf("%d machines, %d calls, %d outages, %d by the fallback, %d late and %d lost replies; at most %d beyond the limit of 30: seed %d\n",
	$machines, $p->calls, $p->outages, $p->fallback, $p->late, $p->lost, $p->beyond, $seed);
