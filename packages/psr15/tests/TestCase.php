<?php

declare(strict_types=1);

namespace Ratelimit\Psr15\Tests;

use FrequencyLimit\Clock;

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
        }
    }
}
