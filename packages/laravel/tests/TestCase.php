<?php

namespace FrequencyLimit\Laravel\Tests;

use FrequencyLimit\Laravel\RatelimitServiceProvider;
use Illuminate\Support\Facades\Facade;

/** A test in a Laravel application with this package's provider. */
abstract class TestCase extends \Illuminate\Foundation\Testing\TestCase
{
    /** @var array<string, mixed> */
    protected array $config = [];

    public function createApplication()
    {
        $this->traitsUsedByTest = array_flip(class_uses_recursive(static::class));

        return Skeleton::application([RatelimitServiceProvider::class], $this->config);
    }

    protected function setUp(): void
    {
        if (! extension_loaded('ratelimit')) {
            $this->markTestSkipped('the extension ratelimit is not loaded');
        }
        parent::setUp();
    }

    /** Makes the application anew, with other settings. */
    protected function configured(array $config): void
    {
        $this->config = $config;
        Facade::clearResolvedInstances();
        $this->refreshApplication();
    }
}
