<?php

/* limiter.php CLIENT DSN: runs lines of code with a limiter $l, and prints what they return, for topology.php. */

use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Polyfill\Settings;

[, $client, $dsn] = $argv;
$settings = ['ratelimit.on_failure' => 'throw', 'ratelimit_polyfill.warnings' => '0', 'ratelimit_polyfill.client' => $client, 'ratelimit.store' => $dsn];
foreach ($settings as $name => $value) {
    Settings::set($name, $value);
}
$l = new Limiter($client, Limit::fixedWindow(2, 60));
while (($line = fgets(STDIN)) !== false) {
    try {
        $answer = eval($line);
    } catch (Throwable $e) {
        $answer = $e::class . ": {$e->getMessage()}";
    }
    echo json_encode($answer), "\n";
}
