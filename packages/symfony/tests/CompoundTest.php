<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\Tests;

use FrequencyLimit\Clock;
use Ratelimit\Symfony\CompoundLimiter;
use Ratelimit\Symfony\CompoundLimiterFactory;
use Ratelimit\Symfony\LimiterFactory;
use Symfony\Component\RateLimiter\CompoundLimiter as SymfonyCompoundLimiter;
use Symfony\Component\RateLimiter\Exception\ReserveNotSupportedException;
use Symfony\Component\RateLimiter\Policy\FixedWindowLimiter;
use Symfony\Component\RateLimiter\Policy\NoLimiter;
use Symfony\Component\RateLimiter\Storage\InMemoryStorage;

final class CompoundTest extends TestCase
{
    public function testARefusedCallChargesNothing(): void
    {
        $minute = self::fixedWindow(5, '1 minute', 'minute');
        $hour = self::fixedWindow(2, '1 hour', 'hour');
        $day = self::fixedWindow(5, '1 day', 'day');
        $all = CompoundLimiter::of([$minute, self::limiter(['id' => 'none', 'policy' => 'no_limit']), $hour, $day]);
        self::assertSame(0, $all->consume(2)->getRemainingTokens());
        for ($i = 0; $i < 20; ++$i) {
            self::assertFalse($all->consume()->isAccepted());
        }
        self::assertSame([3, 0, 3], [$minute->consume(0)->getRemainingTokens(), $hour->consume(0)->getRemainingTokens(), $day->consume(0)->getRemainingTokens()]);
        $all->reset();
        self::assertSame(2, $all->consume(0)->getRemainingTokens());
    }

    public function testTheRetryIsThatOfTheLongestRefusal(): void
    {
        $all = CompoundLimiter::of([self::fixedWindow(1, '1 minute', 'minute'), self::fixedWindow(1, '1 hour', 'hour')]);
        $all->consume();
        $refused = $all->consume();
        self::assertFalse($refused->isAccepted());
        self::assertEqualsWithDelta(3600, $refused->result->retryAfter, 0.01);
        Clock::advance($refused->result->retryAfter);
        self::assertTrue($all->consume()->isAccepted());
    }

    public function testTooManyTokensForOneLimitChargeNothing(): void
    {
        $large = self::fixedWindow(5, '1 minute', 'large');
        try {
            CompoundLimiter::of([$large, self::fixedWindow(2, '1 minute', 'small')])->consume(3);
            self::fail('No exception.');
        } catch (\InvalidArgumentException) {
        }
        self::assertSame(5, $large->consume(0)->getRemainingTokens());
    }

    public function testReserveIsNotSupported(): void
    {
        $this->expectException(ReserveNotSupportedException::class);
        CompoundLimiter::of([self::fixedWindow(1)])->reserve();
    }

    public function testLimitersOfSymfonyStayWithSymfonysCompound(): void
    {
        self::assertInstanceOf(NoLimiter::class, CompoundLimiter::of([new NoLimiter()]));
        $of = new FixedWindowLimiter('a', 1, new \DateInterval('PT1M'), new InMemoryStorage());
        self::assertInstanceOf(SymfonyCompoundLimiter::class, CompoundLimiter::of([$of, self::fixedWindow(1)]));
        $this->expectException(\LogicException::class);
        CompoundLimiter::of([]);
    }

    public function testTogetherIsOneDecisionWithCountsOfItsOwn(): void
    {
        $minute = new LimiterFactory(['id' => 'minute', 'policy' => 'fixed_window', 'limit' => 3, 'interval' => '1 minute']);
        $bucket = new LimiterFactory(['id' => 'bucket', 'policy' => 'token_bucket', 'limit' => 2, 'rate' => ['interval' => '1 hour']]);
        $none = new LimiterFactory(['id' => 'none', 'policy' => 'no_limit']);
        $all = (new CompoundLimiterFactory([$minute, $none, $bucket], 'all'))->create('key');
        self::assertTrue($all->consume(2)->isAccepted());
        self::assertFalse($all->consume()->isAccepted());
        self::assertSame('"minute";q=3;w=60, "bucket";q=2;w=7200', $all->consume()->getHeaders()['RateLimit-Policy']);
        self::assertSame(3, $minute->create('key')->consume(0)->getRemainingTokens());
        self::assertEqualsWithDelta(3600, $all->reserve()->getRateLimit()->result->wait, 0.01);
        $this->expectException(\InvalidArgumentException::class);
        $this->expectExceptionMessage('Cannot reserve more tokens (3) than the size of the rate limiter (2).');
        $all->consume(3);
    }

    public function testProcessesThatRaceNeverGetOneTooMany(): void
    {
        $factories = [];
        foreach (['minute' => 1000, 'hour' => 100] as $name => $limit) {
            $factories[] = new LimiterFactory(['id' => $name, 'policy' => 'fixed_window', 'limit' => $limit, 'interval' => '1 '.$name]);
        }
        $compound = new CompoundLimiterFactory($factories);
        $admitted = Processes::count(8, static fn (): int => array_sum(array_map(static fn (): int => (int) $compound->create('race')->consume()->isAccepted(), range(1, 40))));
        self::assertSame(100, $admitted);
        self::assertSame([900, 0], array_map(static fn (LimiterFactory $factory): int => $factory->create('race')->consume(0)->getRemainingTokens(), $factories));
    }
}
