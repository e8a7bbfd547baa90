<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\Tests\App;

use Symfony\Component\RateLimiter\RateLimiterFactory;

final class ConcreteService
{
    public function __construct(public readonly RateLimiterFactory $apiLimiter)
    {
    }
}
