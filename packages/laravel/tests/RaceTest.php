<?php

namespace FrequencyLimit\Laravel\Tests;

use Illuminate\Cache\RateLimiter;
use Illuminate\Cache\RateLimiting\Limit;
use Illuminate\Http\Exceptions\ThrottleRequestsException;
use Illuminate\Http\Request;
use Illuminate\Queue\Middleware\RateLimited;
use Illuminate\Routing\Middleware\ThrottleRequests;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;

/** Eight processes at a limit of 100: exactly 100 calls pass, in whatever way Laravel is asked. */
#[RequiresPhpExtension('pcntl')]
final class RaceTest extends TestCase
{
    private const PROCESSES = 8;

    private const CALLS = 50;

    /** @return iterable<string, array{callable(self): callable(): bool}> */
    public static function ways(): iterable
    {
        yield 'attempt()' => [fn () => fn () => app(RateLimiter::class)->attempt('key', 100, fn () => usleep(100) ?? true, 60)];
        yield 'throttle, one limit' => [fn () => self::throttle(...)];
        yield 'throttle, several limits' => [function () {
            app(RateLimiter::class)->for('race', fn () => [Limit::perMinute(1000)->by('a'), Limit::perMinute(100)->by('b'), Limit::perHour(900)->by('c')]);

            return fn () => self::throttle('race');
        }];
        yield 'a queue job' => [function () {
            app(RateLimiter::class)->for('race', fn () => Limit::perMinute(100));

            return self::job(...);
        }];
    }

    #[DataProvider('ways')]
    public function testExactlyTheLimitPasses(callable $prepare): void
    {
        $passes = $prepare();
        $admitted = Processes::run(self::PROCESSES, function () use ($passes) {
            $admitted = 0;
            for ($i = 0; $i < self::CALLS; $i++) {
                $admitted += (int) $passes();
            }

            return $admitted;
        });

        self::assertSame(100, array_sum($admitted), implode('+', $admitted));
    }

    /** @return iterable<string, array{callable(string): bool}> */
    public static function waysOfAKey(): iterable
    {
        yield 'attempt()' => [fn (string $key) => app(RateLimiter::class)->attempt($key, 1, fn () => true, 60)];
        yield 'throttle' => [function (string $key) {
            app(RateLimiter::class)->for('key', fn () => Limit::perMinute(1)->by($key));

            return self::throttle('key');
        }];
        yield 'throttle, several limits' => [function (string $key) {
            app(RateLimiter::class)->for('key', fn () => [Limit::perMinute(1)->by($key), Limit::perHour(9)->by("$key-hour")]);

            return self::throttle('key');
        }];
        yield 'a queue job' => [function (string $key) {
            app(RateLimiter::class)->for('race', fn () => Limit::perMinute(1)->by($key));

            return self::job();
        }];
    }

    /** All processes meet at each key at a moment of the clock, so that a check and a hit in two steps would overlap. */
    #[DataProvider('waysOfAKey')]
    public function testOneOfEightProcessesPassesAtEachKey(callable $passes): void
    {
        $begin = microtime(true) + 0.3;
        $admitted = Processes::run(self::PROCESSES, function () use ($passes, $begin) {
            $admitted = [];
            for ($key = 0; $key < 100; $key++) {
                while (microtime(true) < $begin + 0.004 * $key) {
                }
                $admitted[$key] = (int) $passes("key-$key");
            }

            return $admitted;
        });

        self::assertSame(array_fill(0, 100, 1), array_map(fn (int ...$one) => array_sum($one), ...$admitted));
    }

    private static function throttle(string|int $limit = 100): bool
    {
        $request = Request::create('/');
        $request->setRouteResolver(fn () => new \Illuminate\Routing\Route('GET', '/', []));
        try {
            $middleware = app(ThrottleRequests::class);
            $next = fn () => response('yes');
            $limit === 100 ? $middleware->handle($request, $next, 100, 1) : $middleware->handle($request, $next, $limit);
        } catch (ThrottleRequestsException) {
            return false;
        }

        return true;
    }

    private static function job(): bool
    {
        $job = new class
        {
            public function release($delay): void
            {
            }
        };
        $ran = false;
        (new RateLimited('race'))->handle($job, function () use (&$ran) {
            $ran = true;
        });

        return $ran;
    }
}
