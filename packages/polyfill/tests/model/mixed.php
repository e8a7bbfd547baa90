<?php

declare(strict_types=1);

/* mixed.php REPOSITORY KIND CALLS SEED LENGTH: the polyfill and the extension take turns. play.php starts it. */

[, $repository, $kind, $calls, $seed, $length] = $argv;
require "$repository/tests/model/run.inc";
require __DIR__ . '/MixedPlayer.php';

$time = store_time();
$child = new Model\ExtensionChild($repository);
$comparison = new Model\Comparison($time, static fn (Model\Program $program): Model\Player => new Model\MixedPlayer($program, $time, $child));
$failing = $comparison->run($kind, (int) $calls, (int) $seed, (int) $length);
if ($failing !== null) {
    echo $comparison->report($failing);
    exit(1);
}
printf("mixed, %s: %d programs, %d calls, all answered as the model answers; ", $kind, $comparison->programs, $comparison->calls);
printf("%d by the polyfill, %d by the extension\n", Model\MixedPlayer::$own, Model\MixedPlayer::$others);
