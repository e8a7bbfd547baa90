<?php

namespace FrequencyLimit\Laravel\Tests;

use FrequencyLimit\Laravel\Windows;
use Illuminate\Cache\RateLimiter as LaravelRateLimiter;
use Illuminate\Routing\Middleware\ThrottleRequests as LaravelThrottleRequests;
use Illuminate\Support\Carbon;
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

    /** The polyfill has the attributes' exceptions, which an application throws itself. */
    public function testARefusalOfThePolyfillIsA429(): void
    {
        if (! is_dir($polyfill = dirname(__DIR__, 2).'/polyfill/src')) {
            $this->markTestSkipped('the polyfill is not beside this package');
        }
        $output = $this->withoutTheExtension('
            Illuminate\Support\Facades\Route::get("/", fn () => throw new FrequencyLimit\LimitExceeded(FrequencyLimit\Result::of(FrequencyLimit\Reason::Limited)));
            echo $app->make(Illuminate\Contracts\Http\Kernel::class)->handle(Illuminate\Http\Request::create("/"))->getStatusCode();',
            before: '(require "vendor/autoload.php")->addPsr4("FrequencyLimit\\\\", "'.$polyfill.'");');

        self::assertSame('429', $output);
    }

    public function testDisabledItLeavesLaravelsOwnLimiter(): void
    {
        $this->configured(['ratelimit.enabled' => false]);

        self::assertSame(LaravelRateLimiter::class, get_class(app(LaravelRateLimiter::class)));
        Artisan::call('about', ['--only' => 'rate_limiter']);
        self::assertStringContainsString('Laravel (ratelimit.enabled is false)', Artisan::output());
    }

    public function testAboutShowsTheStoreInUseWithoutItsPassword(): void
    {
        $about = function (?string $store): string {
            $this->configured(['ratelimit.store' => $store]);
            Artisan::call('about', ['--only' => 'rate_limiter', '--json' => true]);

            return json_decode(Artisan::output(), true)['rate_limiter']['store'];
        };

        self::assertSame('redis://ann:***@192.0.2.1', $about('redis://ann:secret@192.0.2.1'));
        self::assertStringContainsString('$store must be "shm:" or the DSN of a Redis server', $about('redis:/192.0.2.1'));
        self::assertSame('shm:', $about(null));
    }

    public function testEmptyLinesOfEnvAreDefaults(): void
    {
        $output = $this->inAnotherProcess(Php::command(), 'foreach (["a", "b", "b"] as $prefix) {
            FrequencyLimit\Laravel\Tests\Skeleton::application([FrequencyLimit\Laravel\RatelimitServiceProvider::class], ["cache.prefix" => $prefix]);
            echo Illuminate\Support\Facades\RateLimiter::hit("key");
            Illuminate\Support\Facades\Facade::clearResolvedInstances();
        }', ['RATELIMIT_STORE' => '', 'RATELIMIT_NAME' => '']);

        self::assertSame('112', $output);
    }

    /** A developer may serve an application with APP_ENV=testing, as for tests of a browser. */
    public function testWithoutPhpunitTheEnvironmentTestingCountsAsAnyOther(): void
    {
        $output = $this->inAnotherProcess(Php::command(), 'foreach ([1, 2] as $request) {
            FrequencyLimit\Laravel\Tests\Skeleton::application([FrequencyLimit\Laravel\RatelimitServiceProvider::class]);
            echo app()->environment(), Illuminate\Support\Facades\RateLimiter::hit("key"), " ";
            Illuminate\Support\Facades\Facade::clearResolvedInstances();
        }');

        self::assertSame('testing1 testing2 ', $output);
    }

    public function testATestRunBootsWhereOtherProcessesShareItsCounts(): void
    {
        $segment = tempnam(sys_get_temp_dir(), 'ratelimit-segment-');
        unlink($segment);
        try {
            $output = $this->inAnotherProcess([...Php::command(), '-d', "ratelimit.shm_path=$segment"], 'echo Illuminate\Support\Facades\RateLimiter::hit("key");',
                before: 'define("PHPUNIT_COMPOSER_INSTALL", "");');
        } finally {
            @unlink($segment);
        }

        self::assertSame('1', $output);
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

    /** All windows are over after the seventeen years that the extension's clock can move. */
    public function testJourneysHaveNoEnd(): void
    {
        foreach (['1960-01-01', '1970-01-01', '2050-01-01', '3000-01-01'] as $moment) {
            RateLimiter::hit('key', Windows::LONGEST);
            $this->travelTo(Carbon::parse($moment));
            self::assertSame($moment < '2000' ? 2 : 1, RateLimiter::hit('key', Windows::LONGEST), $moment);
            RateLimiter::clear('key');
        }
    }

    /** Returns what code in an application of a PHP without the extension prints. */
    private function withoutTheExtension(string $code, array $environment = [], string $before = ''): string
    {
        // -n leaves out php.ini, and with it the extension; the others that Laravel needs are named.
        $needed = array_filter(['ctype', 'dom', 'fileinfo', 'filter', 'iconv', 'mbstring', 'openssl', 'pdo', 'phar', 'posix', 'session', 'tokenizer'], function ($name) {
            return is_file(ini_get('extension_dir')."/$name.so");
        });

        return $this->inAnotherProcess([PHP_BINARY, '-n', ...array_map(fn ($name) => "-dextension=$name", array_values($needed))], $code, $environment, $before);
    }

    /**
     * Returns what code in an application of another process prints.
     *
     * @param  list<string>  $php
     */
    private function inAnotherProcess(array $php, string $code, array $environment = [], string $before = ''): string
    {
        $process = new Process([...$php, '-r', $before.'require "vendor/autoload.php"; $_ENV += getenv();
            try {
                $app = FrequencyLimit\Laravel\Tests\Skeleton::application([FrequencyLimit\Laravel\RatelimitServiceProvider::class]);
            } catch (Throwable $e) {
                exit($e->getMessage());
            }'.$code], dirname(__DIR__), $environment);
        $process->run();

        return $process->getOutput().$process->getErrorOutput();
    }
}
