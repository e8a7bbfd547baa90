<?php

declare(strict_types=1);

namespace Ratelimit\Symfony;

use Symfony\Component\RateLimiter\LimiterInterface;
use Symfony\Component\RateLimiter\RateLimiterFactoryInterface;

if (interface_exists(RateLimiterFactoryInterface::class)) {
    /** Makes limiters. It is Symfony's interface, which Symfony has from 7.3 on. */
    interface FactoryInterface extends RateLimiterFactoryInterface
    {
    }
} else {
    /** Makes limiters. */
    interface FactoryInterface
    {
        public function create(?string $key = null): LimiterInterface;
    }
}
