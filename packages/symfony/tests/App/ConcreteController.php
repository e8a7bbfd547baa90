<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\Tests\App;

use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\RateLimiter\RateLimiterFactory;

/** Has Symfony's final class as the type of an argument, as applications before Symfony 7.3. */
final class ConcreteController
{
    public function __invoke(RateLimiterFactory $apiLimiter): Response
    {
        return new Response($apiLimiter->create('x')->consume()::class);
    }
}
