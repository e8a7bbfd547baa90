<?php

namespace FrequencyLimit\Laravel\Tests;

use FrequencyLimit\Laravel\Places;
use FrequencyLimit\Laravel\TestClock;
use Illuminate\Cache\Limiters\ConcurrencyLimiter;
use Illuminate\Cache\Limiters\LimiterTimeoutException;
use Illuminate\Support\Facades\Cache;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use RuntimeException;

final class FunnelTest extends TestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        if (! class_exists(ConcurrencyLimiter::class)) {
            $this->markTestSkipped('this version of Laravel has no Cache::funnel()');
        }
    }

    public function testAtMostSoManyRunAtOnce(): void
    {
        $depth = fn (callable $inner) => Cache::funnel('reports')->limit(2)->block(0)->then($inner, fn () => 'full');

        self::assertSame('full', $depth(fn () => $depth(fn () => $depth(fn () => 'third'))));
        self::assertSame('second', $depth(fn () => $depth(fn () => 'second')));
    }

    public function testAPlaceIsFreeAfterAnException(): void
    {
        foreach ([1, 2] as $i) {
            try {
                Cache::funnel('reports')->limit(1)->block(0)->then(fn () => throw new RuntimeException("run $i"));
            } catch (RuntimeException $e) {
                self::assertSame("run $i", $e->getMessage());
            }
        }
    }

    public function testWithoutAPlaceItThrows(): void
    {
        $this->expectException(LimiterTimeoutException::class);

        Cache::funnel('reports')->limit(1)->then(fn () => Cache::funnel('reports')->limit(1)->block(0)->then(fn () => 'inner'));
    }

    public function testAPlaceIsFreeAfterItsSeconds(): void
    {
        $this->freezeSecond();
        $inner = Cache::funnel('reports')->limit(1)->releaseAfter(60)->then(function () {
            $this->travel(60)->seconds();

            return Cache::funnel('reports')->limit(1)->block(0)->then(fn () => 'inner');
        });

        self::assertSame('inner', $inner);
    }

    public function testAPlaceWithoutACallbackIsHeldForItsSecondsAndThenForgotten(): void
    {
        $this->freezeSecond();
        $places = new Places('funnels', null, new TestClock);
        $hold = fn () => $places->hold('reports', 1, 60, 0, null, fn () => new LimiterTimeoutException);
        $block = function (int $times) use ($hold): void {
            for ($i = 0; $i < $times; $i++) {
                self::assertTrue($hold());
                $this->travel(59)->seconds();
                try {
                    $hold();
                    self::fail('The place is held.');
                } catch (LimiterTimeoutException) {
                }
                $this->travel(2)->seconds();
            }
        };
        $block(20);
        $before = memory_get_usage();
        $block(200);

        self::assertLessThan(20_000, memory_get_usage() - $before);
    }

    public function testFunnelsOfTwoNamesAndOfTwoCachesAreApart(): void
    {
        $inner = Cache::funnel('a')->limit(1)->then(fn () => Cache::funnel('b')->limit(1)->block(0)
            ->then(fn () => Cache::store('file')->funnel('a')->limit(1)->block(0)->then(fn () => 'inner')));

        self::assertSame('inner', $inner);
    }

    #[RequiresPhpExtension('pcntl')]
    public function testThePlaceOfADeadWorkerIsFreeAtOnce(): void
    {
        $pid = pcntl_fork();
        if ($pid === 0) {
            Cache::funnel('reports')->limit(1)->releaseAfter(3600)->then(fn () => posix_kill(getmypid(), SIGKILL));
        }
        pcntl_waitpid($pid, $status);

        self::assertSame('free', Cache::funnel('reports')->limit(1)->block(0)->then(fn () => 'free'));
    }

    #[RequiresPhpExtension('pcntl')]
    public function testEightProcessesNeverHoldMoreThanTheLimit(): void
    {
        $folder = sys_get_temp_dir().'/ratelimit-funnel-'.getmypid();
        mkdir($folder);
        $most = Processes::run(8, function (int $process) use ($folder) {
            $most = 0;
            for ($i = 0; $i < 10; $i++) {
                $most = max($most, Cache::funnel('reports')->limit(3)->block(20)->then(function () use ($folder, $process) {
                    touch("$folder/$process");
                    $now = count(glob("$folder/*"));
                    usleep(2000);
                    unlink("$folder/$process");

                    return $now;
                }));
            }

            return $most;
        });
        rmdir($folder);

        self::assertLessThanOrEqual(3, max($most));
        self::assertGreaterThanOrEqual(1, min($most));
    }

    public function testTheCacheIsOtherwiseAsItWas(): void
    {
        Cache::put('key', 'value', 60);
        self::assertSame('value', Cache::get('key'));
        self::assertSame('value', app('cache.store')->get('key'));
        self::assertTrue(Cache::lock('lock', 10)->get());
        Cache::extend('mine', fn ($app) => Cache::repository(new \Illuminate\Cache\ArrayStore));
        config(['cache.stores.mine' => ['driver' => 'mine']]);
        self::assertSame('inner', Cache::store('mine')->funnel('x')->limit(1)->then(fn () => 'inner'));
    }

    public function testTheSettingLeavesLaravelsFunnels(): void
    {
        $this->configured(['ratelimit.funnel' => false]);

        self::assertSame(\Illuminate\Cache\Limiters\ConcurrencyLimiterBuilder::class, get_class(Cache::funnel('reports')));
    }
}
