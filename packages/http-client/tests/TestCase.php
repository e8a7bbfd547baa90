<?php

declare(strict_types=1);

namespace Ratelimit\HttpClient\Tests;

use FrequencyLimit\Clock;

abstract class TestCase extends \PHPUnit\Framework\TestCase
{
    protected function setUp(): void
    {
        if (!\extension_loaded('ratelimit')) {
            self::markTestSkipped('The extension ratelimit is not loaded.');
        }
        \FrequencyLimit::flush();
        // Waits move it on.
        Clock::freeze();
    }

    protected function tearDown(): void
    {
        if (\extension_loaded('ratelimit')) {
            Clock::unfreeze();
        }
    }
}
