<?php

declare(strict_types=1);

namespace FrequencyLimit\Polyfill\Tests;

use FrequencyLimit;
use FrequencyLimit\Clock;
use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\LimiterInterface;
use FrequencyLimit\Monitor;
use FrequencyLimit\Polyfill\Guard\Guards;
use PHPUnit\Framework\TestCase;

final class MemoryTest extends TestCase
{
    protected function setUp(): void
    {
        Clock::freeze(1_900_000_000);
        FrequencyLimit::flush();
    }

    protected function tearDown(): void
    {
        Clock::unfreeze();
        FrequencyLimit::flush();
    }

    /** Returns how many states and counters the memory has. */
    private static function kept(): int
    {
        return (fn (): int => \count($this->states) + (fn (): int => \count($this->counters))->call($this->counters))->call(Guards::memory());
    }

    public function testExpiredStatesGoByThemselves(): void
    {
        $limiter = new Limiter('sweep', Limit::fixedWindow(5, 1));
        for ($i = 0; $i < 20_000; $i++) {
            $limiter->allow($i);
            FrequencyLimit::doHandle('sweep', $i + 1, 1, 5);
            if ($i % 100 === 0) {
                Clock::advance(1);
            }
        }
        self::assertLessThan(5_000, self::kept());
    }

    public function testAFloodOfIdentitiesEvictsNoBan(): void
    {
        $limiter = new Limiter('flood', Limit::fixedWindow(5, 86_400));
        $limiter->ban('banned', 3_600);
        for ($i = 0; $i < 110_000; $i++) {
            $limiter->allow($i);
        }
        self::assertLessThanOrEqual(100_001, self::kept());
        self::assertFalse($limiter->allow('banned'));
    }

    public function testFlushForgetsEverything(): void
    {
        self::assertTrue(FrequencyLimit::doHandle('flush', 1, 60, 1));
        self::assertFalse(FrequencyLimit::doHandle('flush', 1, 60, 1));
        FrequencyLimit::flush();
        self::assertTrue(FrequencyLimit::doHandle('flush', 1, 60, 1));
    }

    /** The numbers of one request have no use. */
    public function testTheObserversAnswerEmptyShapes(): void
    {
        self::assertFalse((new Limiter('seen', Limit::fixedWindow(1, 60)->ban(60)))->allow(7, 2));
        self::assertSame([0, [], 'none'], [Monitor::stats()['decisions'], Monitor::stats()['servers'], Monitor::stats()['segment']]);
        self::assertSame([[], [], [], [], "# EOF\n"], [Monitor::limiters(), Monitor::top(), Monitor::bans(), Monitor::history(), Monitor::metrics()]);
    }

    public function testALimiterCanBeDoubledByItsInterface(): void
    {
        $double = $this->createStub(LimiterInterface::class);
        $double->method('consume')->willReturn(FrequencyLimit\Result::of(FrequencyLimit\Reason::Limited));
        self::assertFalse($double->consume(7)->accepted);
    }

    public function testTheRequestsOfAProcessShareItsCounts(): void
    {
        $one = new Limiter('shared', Limit::tokenBucket(1, 60));
        $other = new Limiter('shared', Limit::tokenBucket(1, 60));
        self::assertTrue($one->allow('7'));
        self::assertFalse($other->allow(7), 'the digits of an int are that int');
        Clock::advance(60);
        self::assertTrue($other->allow(7));
    }

    public function testAPermitThatGoesFreesItsPlaceAndKeepsItsCharge(): void
    {
        $limiter = new Limiter('jobs', ['rate' => Limit::slidingWindow(2, 60), 'places' => Limit::concurrent(1, 600)]);
        $permit = $limiter->acquire(7);
        self::assertFalse($limiter->acquire(7)->result->accepted);
        unset($permit);
        $permit = $limiter->acquire(7);
        self::assertTrue($permit->result->accepted);
        self::assertTrue($permit->cancel());
        self::assertSame(1, $limiter->peek(7, 0)->remaining);
    }

    public function testObjectsAreNotCloned(): void
    {
        $this->expectException(\Error::class);
        $permit = (new Limiter('clone', Limit::fixedWindow(1, 60)))->acquire(7);
        clone $permit;
    }
}
