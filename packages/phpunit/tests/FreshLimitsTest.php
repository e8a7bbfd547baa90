<?php
declare(strict_types=1);

namespace FrequencyLimit\PHPUnit\Tests;

use FrequencyLimit\Clock;
use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Period;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Each promise is checked by tests that would fail in any order, if one left something to the next. */
final class FreshLimitsTest extends TestCase
{
    private int $remaining;

    protected function setUp(): void
    {
        $this->remaining = $this->limiter()->consume('u')->remaining;
    }

    private function limiter(): Limiter
    {
        return new Limiter('fresh', [Limit::fixedWindow(2, 60)->ban(3600), Limit::calendar(2, Period::Day)]);
    }

    public static function rounds(): array
    {
        return [[1], [2], [3]];
    }

    #[DataProvider('rounds')]
    public function testTheLimitsAreEmptyBeforeSetUp(int $round): void
    {
        self::assertSame(1, $this->remaining);
        self::assertTrue($this->limiter()->allow('u'));
        self::assertFalse($this->limiter()->allow('u'), 'and a ban begins');
    }

    #[DataProvider('rounds')]
    public function testTheClockIsFrozen(int $round): void
    {
        $limiter = new Limiter('frozen', Limit::fixedWindow(1, 0.01));
        self::assertTrue($limiter->allow('u'));
        \usleep(20_000);
        self::assertFalse($limiter->allow('u'));
        Clock::advance(0.01);
        self::assertTrue($limiter->allow('u'));
    }

    #[DataProvider('rounds')]
    public function testTheClockOfATestIsNotThatOfTheLastOne(int $round): void
    {
        self::assertTrue((new Limiter('a day', Limit::calendar(1, Period::Day)))->allow('u'));
        Clock::travelTo(new \DateTimeImmutable('+3 years'));
        self::assertTrue((new Limiter('a day', Limit::calendar(1, Period::Day)))->allow('u'));
    }

    public function testTheStoreIsTheEmbeddedOne(): void
    {
        self::assertSame('shm', $this->limiter()->peek('u')->store);
    }
}
