<?php

namespace FrequencyLimit\Laravel\Tests;

use FrequencyLimit\Laravel\Windows;
use FrequencyLimit\Limit as ExtensionLimit;
use FrequencyLimit\Limiter;
use Illuminate\Cache\ArrayStore;
use Illuminate\Cache\RateLimiter as LaravelRateLimiter;
use Illuminate\Cache\RateLimiting\Limit;
use Illuminate\Cache\Repository;
use Illuminate\Support\Facades\RateLimiter;
use RuntimeException;

final class RateLimiterTest extends TestCase
{
    public function testTheFacadeIsThisPackages(): void
    {
        self::assertInstanceOf(\FrequencyLimit\Laravel\RateLimiter::class, RateLimiter::getFacadeRoot());
        self::assertSame(RateLimiter::getFacadeRoot(), app(LaravelRateLimiter::class));
    }

    public function testAttemptDoesNotCountACallbackThatThrows(): void
    {
        $this->freezeSecond();
        RateLimiter::attempt('key', 2, fn () => true);

        try {
            RateLimiter::attempt('key', 2, fn () => throw new RuntimeException('broken'));
            self::fail('the exception is thrown again');
        } catch (RuntimeException $e) {
            self::assertSame('broken', $e->getMessage());
        }

        self::assertSame(1, RateLimiter::attempts('key'));
        self::assertSame(60, RateLimiter::availableIn('key'));
    }

    public function testACallbackThatThrowsAfterItsWindowTakesNothingOfTheNextOne(): void
    {
        $this->freezeSecond();
        try {
            RateLimiter::attempt('key', 2, function () {
                $this->travel(61)->seconds();
                RateLimiter::hit('key');
                throw new RuntimeException;
            });
        } catch (RuntimeException) {
        }

        self::assertSame(1, RateLimiter::attempts('key'));
    }

    public function testAttemptCountsWhileTheCallbackRuns(): void
    {
        $inner = null;
        RateLimiter::attempt('key', 1, function () use (&$inner) {
            $inner = RateLimiter::attempt('key', 1, fn () => 'inner');
        });

        self::assertFalse($inner);
    }

    public function testAChecksNumberAndAHitsPeriodWorkOnOneWindow(): void
    {
        $this->freezeSecond();
        self::assertSame(3, RateLimiter::increment('key', 60, 3));
        self::assertTrue(RateLimiter::tooManyAttempts('key', 3));
        self::assertFalse(RateLimiter::tooManyAttempts('key', 4));
        self::assertSame(4, RateLimiter::hit('key', 5));

        $this->travel(59)->seconds();
        self::assertSame([4, 1], [RateLimiter::attempts('key'), RateLimiter::availableIn('key')]);
        $this->travel(1)->seconds();
        self::assertSame([0, 0], [RateLimiter::attempts('key'), RateLimiter::availableIn('key')]);
    }

    public function testCountsGoDownToZeroAndNoFurther(): void
    {
        $this->freezeSecond();
        RateLimiter::increment('key', 60, 3);

        self::assertSame(1, RateLimiter::decrement('key', 60, 2));
        self::assertSame(0, RateLimiter::decrement('key', 60, 2));
        self::assertSame(60, RateLimiter::availableIn('key'));
        self::assertSame(0, RateLimiter::decrement('unknown'));
    }

    public function testResetAttemptsKeepsTheWindowAndClearForgetsIt(): void
    {
        $this->freezeSecond();
        RateLimiter::hit('key');

        self::assertTrue(RateLimiter::resetAttempts('key'));
        self::assertSame([0, 60], [RateLimiter::attempts('key'), RateLimiter::availableIn('key')]);
        RateLimiter::clear('key');
        self::assertSame([0, 0], [RateLimiter::attempts('key'), RateLimiter::availableIn('key')]);
    }

    public function testALimitOfZeroRefuses(): void
    {
        self::assertTrue(RateLimiter::tooManyAttempts('key', 0));
        self::assertFalse(RateLimiter::attempt('key', 0, fn () => true));
        self::assertSame(0, RateLimiter::attempts('key'));
    }

    public function testAWindowOfNoSecondsLimitsNothing(): void
    {
        $laravels = new LaravelRateLimiter(new Repository(new ArrayStore));
        foreach ([$laravels, app(LaravelRateLimiter::class)] as $limiter) {
            self::assertSame(1, $limiter->hit('key', 0));
            self::assertSame(1, $limiter->hit('key', 0));
            self::assertSame(0, $limiter->attempts('key'));
            self::assertTrue($limiter->attempt('key', 1, fn () => null, 0));
            self::assertTrue($limiter->attempt('key', 1, fn () => null, 0));
        }
    }

    public function testKeysAreAnyText(): void
    {
        $keys = ['', '0', '42', str_repeat('k', 255), str_repeat('k', 256), str_repeat('k', 300)];
        foreach ($keys as $i => $key) {
            RateLimiter::increment($key, 60, $i + 1);
        }
        foreach ($keys as $i => $key) {
            self::assertSame($i + 1, RateLimiter::attempts($key), "key $i");
        }
    }

    public function testKeysAreCleanedAsLaravelCleansThem(): void
    {
        RateLimiter::hit('jôhn');

        self::assertSame(1, RateLimiter::attempts('john'));
    }

    public function testWhatRemainsOfAKeyThatIsCleanedIsItsOwn(): void
    {
        RateLimiter::hit("o'brien");

        self::assertSame([4, 4], [RateLimiter::remaining("o'brien", 5), RateLimiter::retriesLeft("o'brien", 5)]);
    }

    public function testBoundsOfTheExtensionAreNoErrors(): void
    {
        $most = Windows::MAX + 5;
        self::assertSame(Windows::MAX, RateLimiter::increment('key', PHP_INT_MAX, $most));
        self::assertSame(Windows::MAX, RateLimiter::hit('key'));
        self::assertTrue(RateLimiter::tooManyAttempts('key', Windows::MAX));
        self::assertSame(Windows::LONGEST, RateLimiter::availableIn('key'));
        self::assertTrue(RateLimiter::attempt('other', $most, fn () => true));
    }

    public function testNamedLimitersOfBothAreKept(): void
    {
        $laravels = new LaravelRateLimiter(new Repository(new ArrayStore));
        $laravels->for('early', fn () => Limit::perMinute(7));
        $ours = new \FrequencyLimit\Laravel\RateLimiter($laravels, new Windows('name', null));
        $ours->for('late', fn () => Limit::perMinute(8));

        self::assertSame(7, $ours->limiter('early')()->maxAttempts);
        self::assertSame(8, $ours->limiter('late')()->maxAttempts);
        self::assertNull($ours->limiter('none'));
    }

    public function testEachApplicationOfATestRunHasItsOwnCounts(): void
    {
        $plain = fn () => (new Limiter('plain', ExtensionLimit::fixedWindow(1, 60)))->allow('ann');
        RateLimiter::hit('key');
        self::assertSame([true, false], [$plain(), $plain()]);
        $this->configured([]);

        self::assertSame(0, RateLimiter::attempts('key'));
        self::assertTrue($plain());
    }
}
