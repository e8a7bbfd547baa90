<?php

declare(strict_types=1);

/*
 * RATELIMIT_TEST_AUTOLOAD names one more autoload file, with frameworks that Composer cannot install here: Slim needs
 * nikic/fast-route, and the test of Mezzio needs laminas/laminas-stratigility.
 */

require dirname(__DIR__).'/vendor/autoload.php';

if (is_string($file = getenv('RATELIMIT_TEST_AUTOLOAD')) && '' !== $file) {
    require $file;
}
