<?php
/* long.php STORE KIND CALLS SEED: one long run, for scripts/long.sh model. The store "core" is the core alone, which the program in
 * CORE_PLAYER plays (core_player.inc). */
require __DIR__ . '/run.inc';

[, $store, $kind, $calls, $seed] = $argv;
if ($store !== 'core') {
	putenv('CORE_PLAYER');
}
if (in_array($kind, Model\Generator::WITH_LEASES, true)) {
	[$exit, $said] = play_with_leases($kind, (int) $calls, (int) $seed);
} else {
	[$exit, $said] = play($store, $kind, (int) $calls, (int) $seed);
}
echo $said;
exit($exit);
