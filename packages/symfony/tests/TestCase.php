<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\Tests;

use FrequencyLimit\Clock;
use FrequencyLimit\Monitor;
use Ratelimit\Symfony\LimiterFactory;
use Symfony\Component\RateLimiter\LimiterInterface;

abstract class TestCase extends \PHPUnit\Framework\TestCase
{
    protected function setUp(): void
    {
        if (!\extension_loaded('ratelimit')) {
            self::markTestSkipped('The extension ratelimit is not loaded.');
        }
        \FrequencyLimit::flush();
        Clock::freeze();
    }

    protected function tearDown(): void
    {
        if (\extension_loaded('ratelimit')) {
            Clock::unfreeze();
            Monitor::listen(null);
        }
    }

    /** @param array<string, mixed> $config */
    protected static function limiter(array $config, ?string $key = 'key'): LimiterInterface
    {
        return (new LimiterFactory($config + ['id' => 'test']))->create($key);
    }

    protected static function fixedWindow(int $limit, string $interval = '1 minute', string $id = 'test'): LimiterInterface
    {
        return self::limiter(['id' => $id, 'policy' => 'fixed_window', 'limit' => $limit, 'interval' => $interval]);
    }

    protected static function bucket(int $limit, string $interval, int $amount = 1): LimiterInterface
    {
        return self::limiter(['policy' => 'token_bucket', 'limit' => $limit, 'rate' => ['interval' => $interval, 'amount' => $amount]]);
    }
}
