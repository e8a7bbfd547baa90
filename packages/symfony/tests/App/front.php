<?php

declare(strict_types=1);

/*
 * The front controller of an application: of the tests under php-fpm, and of those without the extension.
 */

use Ratelimit\Symfony\Tests\App\AppKernel;
use Symfony\Component\HttpFoundation\Request;

require dirname(__DIR__).'/bootstrap.php';

$kernel = new AppKernel(['api' => ['policy' => 'fixed_window', 'limit' => 5, 'interval' => '1 hour']], ['login' => 'before'], ['max_attempts' => 2]);
$request = 'cli' === \PHP_SAPI ? Request::create($argv[1], server: isset($argv[2]) ? ['PHP_AUTH_USER' => $argv[2], 'PHP_AUTH_PW' => $argv[3]] : []) : Request::createFromGlobals();
$response = $kernel->handle($request);
'cli' === \PHP_SAPI ? print($response->getStatusCode()) : $response->send();
$kernel->terminate($request, $response);
