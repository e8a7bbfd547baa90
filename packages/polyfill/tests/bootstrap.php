<?php

declare(strict_types=1);

if (extension_loaded('ratelimit')) {
    fwrite(STDERR, "These tests are those of the polyfill: run them with a PHP that has not loaded the extension ratelimit.\n");
    exit(1);
}
require dirname(__DIR__) . '/vendor/autoload.php';
FrequencyLimit\Polyfill\Settings::set('ratelimit.testing', '1');
/* The circuit breaker's log lines are no part of the output. */
ini_set('error_log', PHP_OS_FAMILY === 'Windows' ? 'NUL' : '/dev/null');
