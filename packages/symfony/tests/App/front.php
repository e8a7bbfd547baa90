<?php

declare(strict_types=1);

/*
 * The front controller of an application: of the tests under php-fpm, and of those without the extension.
 */

use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use Ratelimit\Symfony\Tests\App\AppKernel;
use Symfony\Component\HttpFoundation\Request;

require dirname(__DIR__).'/bootstrap.php';

if (extension_loaded('ratelimit')) {
    Limiter::define(new Limiter('own', Limit::fixedWindow(1, 3600)));
}
$kernel = new AppKernel(['api' => ['policy' => 'fixed_window', 'limit' => 5, 'interval' => '1 hour']], ['login' => 'before'], ['max_attempts' => 2], withProfiler: true);
if ('cli' === \PHP_SAPI) {
    // Each argument is a path, or a path, a user and a password.
    foreach (array_slice($argv, 1) as $argument) {
        [$path, $user, $password] = explode(',', $argument) + [1 => null, 2 => null];
        echo $kernel->ask($path, null === $user ? [] : ['PHP_AUTH_USER' => $user, 'PHP_AUTH_PW' => $password])->getStatusCode(), ' ';
    }
} else {
    $request = Request::createFromGlobals();
    $response = $kernel->handle($request);
    $response->send();
    $kernel->terminate($request, $response);
}
