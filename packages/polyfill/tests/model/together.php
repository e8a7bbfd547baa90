<?php

declare(strict_types=1);

/* together.php REPOSITORY KIND CALLS SEED LENGTH: plays in memory, where the states of several identities are decided in turn. play.php starts it. */

[, $repository, $kind, $calls, $seed, $length] = $argv;
require "$repository/tests/model/run.inc";
require dirname(__DIR__) . '/TurnStore.php';

FrequencyLimit\Polyfill\Tests\TurnStore::install();
$comparison = new Model\Comparison(store_time());
$failing = $comparison->run($kind, (int) $calls, (int) $seed, (int) $length);
if ($failing !== null) {
    echo $comparison->report($failing);
    exit(1);
}
printf("together, %s: %d programs, %d calls, all answered as the model answers\n", $kind, $comparison->programs, $comparison->calls);
