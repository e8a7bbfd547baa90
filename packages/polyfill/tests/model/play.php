<?php

declare(strict_types=1);

/*
 * Plays random programs against the reference model of the extension's repository:
 *
 *   php play.php REPOSITORY STORE KIND CALLS SEED
 *
 * STORE: "shm" (the memory of the process), "together" (the same, several states in turn), "redis", or "mixed" (the polyfill and the extension in RATELIMIT_SO or RATELIMIT_MODULE take turns on one
 * Redis). The starting PHP has the polyfill autoloaded, and not the extension.
 */

[, $repository, $store, $kind, $calls, $seed] = $argv;
require "$repository/tests/model/run.inc";

$script = $store === 'mixed' || $store === 'together' ? [__DIR__ . "/$store.php", $repository] : ["$repository/tests/model/run.php"];
[$exit, $output] = on_store($store === 'shm' || $store === 'together' ? 'shm' : 'redis', [...$script, $kind, $calls, $seed, '100']);
echo $output;
exit($exit);
