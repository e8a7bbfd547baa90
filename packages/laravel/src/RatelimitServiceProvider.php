<?php

namespace FrequencyLimit\Laravel;

use FrequencyLimit\InvalidArgument;
use FrequencyLimit\Laravel\Console\BanCommand;
use FrequencyLimit\Laravel\Console\TopCommand;
use FrequencyLimit\Laravel\Console\UnbanCommand;
use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\LimitExceeded;
use FrequencyLimit\LoginRequired;
use FrequencyLimit\Monitor;
use FrequencyLimit\Reason;
use FrequencyLimit\Request;
use Illuminate\Auth\AuthenticationException;
use Illuminate\Cache\CacheManager as LaravelCacheManager;
use Illuminate\Cache\Limiters\ConcurrencyLimiter;
use Illuminate\Cache\RateLimiter as LaravelRateLimiter;
use Illuminate\Container\Container;
use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Foundation\Console\AboutCommand;
use Illuminate\Foundation\Exceptions\Handler;
use Illuminate\Http\Exceptions\ThrottleRequestsException;
use Illuminate\Routing\Middleware\ThrottleRequests as LaravelThrottleRequests;
use Illuminate\Routing\Middleware\ThrottleRequestsWithRedis;
use Illuminate\Support\ServiceProvider;
use RuntimeException;
use Stringable;
use Symfony\Component\HttpKernel\Exception\ServiceUnavailableHttpException;
use Throwable;

/** Puts the extension in the place of Laravel's limiter. Without the extension, Laravel's own stays. */
class RatelimitServiceProvider extends ServiceProvider
{
    /** {@inheritdoc} */
    public function register()
    {
        $this->mergeConfigFrom(__DIR__.'/../config/ratelimit.php', 'ratelimit');

        $decides = $this->decides();
        $clock = $this->testClock();

        if ($this->setting('guard') !== false && extension_loaded('ratelimit')) {
            // The attributes' store is that of php.ini.
            $this->registerUsers(Windows::isRedis(null) ? null : $clock);
        }
        if (! $decides) {
            return;
        }

        $name = $this->name();
        $windows = new Windows($name, $this->store(), $clock);

        $this->app->scoped(BestEffort::class);
        $this->app->extend(
            LaravelRateLimiter::class,
            // An application's own limiter stays.
            fn ($limiter) => get_class($limiter) === LaravelRateLimiter::class ? new RateLimiter($limiter, $windows) : $limiter
        );
        $this->app->bindIf(LaravelThrottleRequests::class, ThrottleRequests::class);

        if ($this->isOnRedis()) {
            $this->app->bindIf(ThrottleRequestsWithRedis::class, ThrottleRequests::class);
        }
        if ($this->setting('funnel')) {
            $this->registerFunnels(new Places("$name:funnel", $this->store(), $clock));
        }
    }

    /** Publishes the configuration, and maps the attributes' refusals to responses. */
    public function boot(): void
    {
        $this->publishes([__DIR__.'/../config/ratelimit.php' => $this->app->configPath('ratelimit.php')], 'ratelimit-config');

        if ($this->app->runningInConsole()) {
            AboutCommand::add('Rate limiter', fn () => $this->about());
            if ($this->decides()) {
                $this->commands([TopCommand::class, BanCommand::class, UnbanCommand::class]);
            }
        }
        if (class_exists(LimitExceeded::class)) {
            $this->callAfterResolving(ExceptionHandler::class, fn ($handler) => $this->mapExceptions($handler));
        }
    }

    private function registerFunnels(Places $places): void
    {
        if (class_exists(ConcurrencyLimiter::class)) {
            $this->app->extend(
                'cache',
                fn ($cache) => get_class($cache) === LaravelCacheManager::class ? CacheManager::of($cache, $places) : $cache
            );
        }
    }

    /** Gives the attributes the users of a guard. Octane serves many requests in a process, each of which has its own. */
    private function registerUsers(?TestClock $clock): void
    {
        $user = function () use ($clock) {
            $clock?->follow();
            // The container of the moment: Octane has one for each request.
            $id = Container::getInstance()->make('auth')->guard($this->setting('guard'))->id();

            return $id instanceof Stringable ? (string) $id : $id;
        };

        // Octane boots the application outside of a request, where there are no users.
        if (! class_exists('Laravel\Octane\Worker', false)) {
            Request::identifyBy($user);
        }

        $this->app['events']->listen('Laravel\Octane\Events\RequestReceived', function ($event) use ($user) {
            $request = $event->request;
            Request::begin($request->server('REMOTE_ADDR'), $request->getPathInfo(), $request->header('X-Forwarded-For'));
            Request::identifyBy($user);
        });
        $this->app['events']->listen('Laravel\Octane\Events\RequestTerminated', fn () => Request::end());
    }

    private function mapExceptions(ExceptionHandler $handler): void
    {
        if (! $handler instanceof Handler) {
            return;
        }

        $handler->map(LimitExceeded::class, fn (LimitExceeded $e) => $this->isServing() ? $this->response($e) : $e);
        $handler->map(LoginRequired::class, fn (LoginRequired $e) => $this->isServing() ? new AuthenticationException : $e);
    }

    private function response(LimitExceeded $e): Throwable
    {
        $result = $e->result;
        $headers = ['X-RateLimit-Limit' => $result->limit, 'X-RateLimit-Remaining' => $result->remaining] + $result->headers();

        return $result->reason === Reason::StoreUnavailable
            ? new ServiceUnavailableHttpException(null, 'The rate limiter is unavailable.', $e, 0, $headers)
            : new ThrottleRequestsException('Too Many Attempts.', $e, $headers);
    }

    /** Returns whether a request is served: elsewhere the exceptions stay what they are, for the log of a job. */
    private function isServing(): bool
    {
        return ! $this->app->runningInConsole() || $this->app->runningUnitTests();
    }

    /** Returns whether the extension decides in this application. */
    private function decides(): bool
    {
        if (! $this->setting('enabled')) {
            return false;
        }
        if (! extension_loaded('ratelimit') && $this->setting('required')) {
            throw new RuntimeException(
                'The PHP extension "ratelimit" is not loaded, and config/ratelimit.php has "required" => true: install it, '
                .'or set RATELIMIT_REQUIRED=false to let Laravel\'s own limiter decide'
            );
        }

        return extension_loaded('ratelimit');
    }

    /** @return array<string, string> */
    private function about(): array
    {
        if ($this->decides()) {
            $stats = Monitor::stats();

            return ['Decided by' => 'ratelimit '.phpversion('ratelimit'), 'Store' => $this->visibleStore() ?? $stats['store'], 'Segment' => $stats['segment']]
                + ($stats['warnings'] === [] ? [] : ['Warnings' => implode('; ', $stats['warnings'])]);
        }

        return ['Decided by' => 'Laravel ('.(extension_loaded('ratelimit') ? 'ratelimit.enabled is false' : 'ext-ratelimit is not loaded').')'];
    }

    /** Returns the store without its password, or the mistake in it; null: that of php.ini. */
    private function visibleStore(): ?string
    {
        try {
            return (new Limiter('about', Limit::none(), $this->store()))->store;
        } catch (InvalidArgument $e) {
            return $e->getMessage();
        }
    }

    /** Returns the name of the counts. In unit tests, each application has its own, as with the cache driver "array". */
    private function name(): string
    {
        // An empty line of .env is a text.
        $name = $this->setting('name') ?: 'laravel:'.$this->app['config']->get('cache.prefix');

        return $this->isTested() ? $name.':'.bin2hex(random_bytes(8)) : $name;
    }

    private function store(): ?string
    {
        return $this->setting('store') ?: null;
    }

    private function isOnRedis(): bool
    {
        return Windows::isRedis($this->store());
    }

    /** Returns the clock that follows Carbon's, in unit tests. Redis has a clock of its own, which nothing moves. */
    private function testClock(): ?TestClock
    {
        // Where other processes share the counts, the setting is refused with a warning.
        if (! $this->isTested() || @ini_set('ratelimit.testing', '1') === false) {
            return null;
        }
        $clock = new TestClock;

        return $this->isOnRedis() ? null : $clock;
    }

    private function isTested(): bool
    {
        return $this->app->runningUnitTests() && TestClock::isTestRun();
    }

    private function setting(string $name): mixed
    {
        return $this->app['config']->get("ratelimit.$name");
    }
}
