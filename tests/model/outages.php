<?php
/* Plays random programs over outages (outages.inc): php -d extension=… tests/model/outages.php [CALLS] [SEED] [MACHINES] */
require __DIR__ . '/outages.inc';
store_options(connect_timeout: 30, timeout: 30, retry_delay: 100, deny_cache: 0);
$seed = (int) ($argv[2] ?? 1);
$program = new OutageProgram(new RedisServer(), machines: (int) ($argv[3] ?? 2));
$program->run((int) ($argv[1] ?? 10_000), $seed);
printf("%d calls, %d outages, %d by the fallback; at most %d beyond the limit of 30: seed %d\n", $program->calls, $program->outages, $program->fallback, $program->beyond, $seed);
