<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\Tests;

use FrequencyLimit\Clock;
use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use PHPUnit\Framework\Attributes\DataProvider;
use Ratelimit\Symfony\Decision;
use Ratelimit\Symfony\LimiterFactory;
use Symfony\Component\RateLimiter\Exception\MaxWaitDurationExceededException;
use Symfony\Component\RateLimiter\Storage\InMemoryStorage;

final class LimiterTest extends TestCase
{
    /** @return iterable<string, array{array<string, mixed>, string}> */
    public static function policies(): iterable
    {
        yield 'fixed_window' => [['policy' => 'fixed_window', 'limit' => 3, 'interval' => '1 minute'], 'size'];
        yield 'sliding_window' => [['policy' => 'sliding_window', 'limit' => 3, 'interval' => '1 minute'], 'size'];
        yield 'token_bucket' => [['policy' => 'token_bucket', 'limit' => 3, 'rate' => ['interval' => '20 seconds', 'amount' => 1]], 'burst size'];
    }

    #[DataProvider('policies')]
    public function testEachPolicyAdmitsItsLimitAndNamesTheRetry(array $config, string $capacity): void
    {
        $limiter = self::limiter($config);
        self::assertSame(3, $limiter->consume(0)->getRemainingTokens());
        foreach ([2, 1, 0] as $left) {
            $decision = $limiter->consume();
            self::assertTrue($decision->isAccepted());
            self::assertSame([$left, 3], [$decision->getRemainingTokens(), $decision->getLimit()]);
        }
        $state = $limiter->consume(0);
        self::assertTrue($state->isAccepted());
        self::assertSame(0, $state->getRemainingTokens());
        self::assertGreaterThan(time(), $state->getRetryAfter()->getTimestamp());
        $refused = $limiter->consume();
        self::assertFalse($refused->isAccepted());
        self::assertInstanceOf(Decision::class, $refused);
        Clock::advance($refused->result->retryAfter - 0.001);
        self::assertFalse($limiter->consume()->isAccepted());
        Clock::advance(0.001);
        self::assertTrue($limiter->consume()->isAccepted());
        $limiter->reset();
        self::assertSame(3, $limiter->consume(0)->getRemainingTokens());
        $this->expectException(\InvalidArgumentException::class);
        $this->expectExceptionMessage("Cannot reserve more tokens (4) than the $capacity of the rate limiter (3).");
        $limiter->consume(4);
    }

    #[DataProvider('policies')]
    public function testReserveBooksTheFirstMoment(array $config): void
    {
        $limiter = self::limiter($config);
        $limiter->consume(3);
        $reservation = $limiter->reserve(1, 100);
        $wait = $reservation->getRateLimit()->result->wait;
        self::assertEqualsWithDelta('token_bucket' === $config['policy'] ? 20 : 60, $wait, 0.001);
        self::assertEqualsWithDelta($wait, $reservation->getWaitDuration(), 1);
        self::assertFalse($reservation->getRateLimit()->isAccepted());
        // The booking stays without the Reservation.
        unset($reservation);
        Clock::advance($wait);
        self::assertSame('token_bucket' === $config['policy'] ? 0 : 2, $limiter->consume(0)->getRemainingTokens());
    }

    #[DataProvider('policies')]
    public function testReserveBeyondTheLongestWaitBooksNothing(array $config): void
    {
        $limiter = self::limiter($config);
        self::assertSame(0.0, $limiter->reserve(3, 0)->getRateLimit()->result->wait);
        try {
            $limiter->reserve(3, 59);
            self::fail('No exception.');
        } catch (MaxWaitDurationExceededException $e) {
            self::assertStringEndsWith('is longer than the provided maximum time ("59" seconds).', $e->getMessage());
            self::assertFalse($e->getRateLimit()->isAccepted());
        }
        Clock::advance(60);
        self::assertSame(3, $limiter->consume(0)->getRemainingTokens());
    }

    #[DataProvider('policies')]
    public function testReserveTakesTheIntervalAsTheLongestWait(array $config): void
    {
        Clock::travelTo(1_800_000_000.0004);
        $limiter = self::limiter($config);
        $limiter->consume(3);
        self::assertEqualsWithDelta(60, $limiter->reserve(3, 60)->getRateLimit()->result->wait, 0.001);
    }

    public function testReserveWithoutALongestWaitQueues(): void
    {
        $limiter = self::fixedWindow(1);
        foreach ([0.0, 60.0, 120.0, 180.0] as $wait) {
            self::assertEqualsWithDelta($wait, $limiter->reserve()->getRateLimit()->result->wait, 0.001);
        }
        self::assertEqualsWithDelta(240, $limiter->reserve(0)->getWaitDuration(), 1);
    }

    public function testLargeSlidingWindowsNeedNoMomentOfEachCall(): void
    {
        $limiter = self::limiter(['policy' => 'sliding_window', 'limit' => 1_000_000, 'interval' => '1 hour']);
        self::assertSame(0, $limiter->consume(1_000_000)->getRemainingTokens());
        self::assertFalse($limiter->consume()->isAccepted());
    }

    public function testKeysOfAnyLengthAndBytesAreDistinct(): void
    {
        $keys = ['', 'a', "\0", "\0\0", str_repeat('a', 255), str_repeat('a', 256), str_repeat('a', 257), "\xff", '0', '00'];
        $config = ['policy' => 'fixed_window', 'limit' => 1, 'interval' => '1 minute'];
        foreach ($keys as $key) {
            self::assertTrue(self::limiter($config, $key)->consume()->isAccepted());
        }
        foreach ([...$keys, null] as $key) {
            self::assertFalse(self::limiter($config, $key)->consume()->isAccepted());
        }
    }

    public function testALimiterOfTheExtensionSharesTheCounts(): void
    {
        self::fixedWindow(2)->consume(2);
        self::assertFalse((new Limiter('test', Limit::fixedWindow(2, 60)))->allow('key'));
    }

    public function testNamespacesKeepCountsApart(): void
    {
        $config = ['id' => 'test', 'policy' => 'fixed_window', 'limit' => 1, 'interval' => '1 minute'];
        self::assertTrue((new LimiterFactory($config, namespace: 'a'))->create()->consume()->isAccepted());
        self::assertTrue((new LimiterFactory($config, namespace: 'b'))->create()->consume()->isAccepted());
        self::assertFalse((new Limiter('test@a', Limit::fixedWindow(1, 60)))->allow("\0"));
    }

    public function testNoLimitAcceptsEachCallAndHasNoHeaders(): void
    {
        $limiter = self::limiter(['policy' => 'no_limit']);
        foreach ([0, 1, 1_000_000_000, 1] as $tokens) {
            $decision = $limiter->consume($tokens)->ensureAccepted();
            self::assertInstanceOf(Decision::class, $decision);
            self::assertSame([], $decision->getHeaders());
        }
        self::assertSame(0.0, $limiter->reserve(5, 0)->getRateLimit()->result->wait);
    }

    public function testCalendarMonthsAreServed(): void
    {
        Clock::travelTo(new \DateTimeImmutable('2027-01-31 23:59:50', new \DateTimeZone('UTC')));
        $limiter = self::limiter(['policy' => 'fixed_window', 'limit' => 1, 'interval' => '1 month', 'anchor_at' => '2026-01-01']);
        self::assertTrue($limiter->consume()->isAccepted());
        self::assertFalse($limiter->consume()->isAccepted());
        Clock::advance(10);
        self::assertTrue($limiter->consume()->isAccepted());
    }

    /** @return iterable<string, array{array<string, mixed>, string}> */
    public static function beyondBounds(): iterable
    {
        yield 'a limit' => [['policy' => 'fixed_window', 'limit' => \PHP_INT_MAX, 'interval' => '1 minute'], '$limit must be between 1 and'];
        yield 'an interval' => [['policy' => 'sliding_window', 'limit' => 1, 'interval' => '20 years'], '$seconds'];
        yield 'a bucket' => [['policy' => 'token_bucket', 'limit' => 100000, 'rate' => ['interval' => '1 hour']], '$burst must fill within'];
        yield 'an anchor' => [['policy' => 'fixed_window', 'limit' => 1, 'interval' => '1 year', 'anchor_at' => '2026-01-01'], 'anchor_at'];
        yield 'no limit at all' => [['policy' => 'fixed_window', 'limit' => 0, 'interval' => '1 minute'], '$limit must be between 1 and'];
    }

    #[DataProvider('beyondBounds')]
    public function testConfigurationBeyondTheBoundsIsAnErrorWithAWayOut(array $config, string $message): void
    {
        try {
            self::limiter($config);
            self::fail('No exception.');
        } catch (\LogicException $e) {
            self::assertStringContainsString('cannot serve the rate limiter "test"', $e->getMessage());
            self::assertStringContainsString($message, $e->getMessage());
            self::assertStringContainsString('"ratelimit.except"', $e->getMessage());
        }
    }

    public function testAMisspeltIntervalIsSymfonysError(): void
    {
        $this->expectException(\LogicException::class);
        $this->expectExceptionMessage('Cannot parse interval "1 minut"');
        self::fixedWindow(1, '1 minut');
    }

    /** @return iterable<string, array{int, int, \Closure}> */
    public static function races(): iterable
    {
        yield 'consume' => [100, 40, static fn (LimiterFactory $factory): bool => $factory->create('race')->consume()->isAccepted()];
        yield 'reserve' => [100, 40, static function (LimiterFactory $factory): bool {
            try {
                $factory->create('race')->reserve(1, 0);

                return true;
            } catch (MaxWaitDurationExceededException) {
                return false;
            }
        }];
    }

    #[DataProvider('races')]
    public function testProcessesThatRaceGetExactlyTheLimit(int $limit, int $calls, \Closure $call): void
    {
        $factory = new LimiterFactory(['id' => 'race', 'policy' => 'fixed_window', 'limit' => $limit, 'interval' => '1 hour'], new InMemoryStorage());
        self::assertSame($limit, Processes::count(8, static fn (): int => array_sum(array_map(static fn (): int => (int) $call($factory), range(1, $calls)))));
    }
}
