<?php

namespace FrequencyLimit\Laravel\Tests;

use Illuminate\Cache\RateLimiter as LaravelRateLimiter;
use Illuminate\Routing\Middleware\ThrottleRequests as LaravelThrottleRequests;
use Illuminate\Support\Facades\Artisan;
use Illuminate\Support\Facades\RateLimiter;
use Illuminate\Support\ServiceProvider;
use Symfony\Component\Process\Process;

final class ProviderTest extends TestCase
{
    public function testWithoutTheExtensionLaravelsOwnLimiterDecides(): void
    {
        $output = $this->withoutTheExtension('echo get_class(app(Illuminate\Cache\RateLimiter::class)), " ",
            get_class(app(Illuminate\Routing\Middleware\ThrottleRequests::class)), " ", get_class(app("cache"));');

        self::assertSame(implode(' ', [LaravelRateLimiter::class, LaravelThrottleRequests::class, \Illuminate\Cache\CacheManager::class]), $output);
    }

    public function testWithoutTheRequiredExtensionTheApplicationDoesNotBoot(): void
    {
        $output = $this->withoutTheExtension('', ['RATELIMIT_REQUIRED' => 'true']);

        self::assertStringContainsString('The PHP extension "ratelimit" is not loaded, and config/ratelimit.php has "required" => true', $output);
    }

    public function testDisabledItLeavesLaravelsOwnLimiter(): void
    {
        $this->configured(['ratelimit.enabled' => false]);

        self::assertSame(LaravelRateLimiter::class, get_class(app(LaravelRateLimiter::class)));
        Artisan::call('about', ['--only' => 'rate_limiter']);
        self::assertStringContainsString('Laravel (ratelimit.enabled is false)', Artisan::output());
    }

    public function testAnApplicationsOwnLimiterStays(): void
    {
        $own = new class(app('cache.store')) extends LaravelRateLimiter
        {
        };
        app()->instance(LaravelRateLimiter::class, $own);
        RateLimiter::clearResolvedInstances();
        (new \FrequencyLimit\Laravel\RatelimitServiceProvider(app()))->register();

        self::assertSame($own, app(LaravelRateLimiter::class));
        self::assertInstanceOf(LaravelThrottleRequests::class, app(LaravelThrottleRequests::class));
    }

    public function testTheConfigurationIsPublished(): void
    {
        self::assertSame(
            [app()->configPath('ratelimit.php')],
            array_values(ServiceProvider::pathsToPublish(\FrequencyLimit\Laravel\RatelimitServiceProvider::class, 'ratelimit-config'))
        );
    }

    public function testCarbonsTimeIsTheExtensions(): void
    {
        RateLimiter::hit('key', 3600);
        $this->travel(59)->minutes();
        self::assertSame([1, 60], [RateLimiter::attempts('key'), RateLimiter::availableIn('key')]);
        $this->travel(61)->minutes();
        self::assertSame(0, RateLimiter::attempts('key'));
        RateLimiter::hit('key', 60);
        $this->travelBack();
        self::assertSame(1, RateLimiter::hit('other', 60));
    }

    public function testJourneysOfManyTestsDoNotAddUp(): void
    {
        for ($year = 1980; $year < 2080; $year += 20) {
            $this->configured([]);
            $this->travelTo(now()->setYear($year));
            self::assertSame(1, RateLimiter::hit('key'));
            $this->travel(1)->minutes();
            self::assertSame(0, RateLimiter::attempts('key'));
        }
    }

    /** Returns what code in an application of a PHP without the extension prints. */
    private function withoutTheExtension(string $code, array $environment = []): string
    {
        // -n leaves out php.ini, and with it the extension; the others that Laravel needs are named.
        $needed = array_filter(['ctype', 'dom', 'fileinfo', 'filter', 'iconv', 'mbstring', 'openssl', 'pdo', 'phar', 'posix', 'session', 'tokenizer'], function ($name) {
            return is_file(ini_get('extension_dir')."/$name.so");
        });
        $process = new Process([PHP_BINARY, '-n', ...array_map(fn ($name) => "-dextension=$name", array_values($needed)), '-r',
            'require "vendor/autoload.php"; $_ENV += getenv();
            try {
                FrequencyLimit\Laravel\Tests\Skeleton::application([FrequencyLimit\Laravel\RatelimitServiceProvider::class]);
            } catch (Throwable $e) {
                exit($e->getMessage());
            }'.$code], dirname(__DIR__), $environment);
        $process->run();

        return $process->getOutput().$process->getErrorOutput();
    }
}
