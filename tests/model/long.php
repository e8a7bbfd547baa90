<?php
/* long.php STORE KIND CALLS SEED: one long run, for scripts/model.sh. */
require __DIR__ . '/run.inc';

[, $store, $kind, $calls, $seed] = $argv;
[$exit, $said] = play($store, $kind, (int) $calls, (int) $seed);
echo $said;
exit($exit);
