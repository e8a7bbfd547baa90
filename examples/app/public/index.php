<?php

/*
 * One page for the applications of this folder. From the top of the checkout, with four workers:
 *
 *     PHP_CLI_SERVER_WORKERS=4 php -S 127.0.0.1:8080 -t examples/app/public examples/app/public/index.php
 *
 * or on nginx: nginx.conf beside this folder.
 */

declare(strict_types=1);

use App\Web\Application;

if (PHP_SAPI === 'cli-server') {
    $path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
    if (in_array($path, ['/app.css', '/app.js', '/icon.svg'], true)) {
        return false; // php -S sends the file
    }
    if ($path === '/ratelimit.php') {
        define('RATELIMIT_BACK', '/');
        require __DIR__ . '/../../../ratelimit.php'; // beside the application, because only its server has its counts
        return true;
    }
}

require __DIR__ . '/../../autoload.php';

(new Application($_SERVER, $_GET, $_POST, $_COOKIE))->respond()->send();
