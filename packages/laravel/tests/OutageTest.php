<?php

namespace FrequencyLimit\Laravel\Tests;

use FrequencyLimit\StoreException;
use Illuminate\Cache\Limiters\ConcurrencyLimiter;
use Illuminate\Cache\RateLimiting\Limit;
use Illuminate\Queue\Middleware\ThrottlesExceptions;
use Illuminate\Support\Facades\Cache;
use Illuminate\Support\Facades\Exceptions;
use Illuminate\Support\Facades\RateLimiter;
use Illuminate\Support\Facades\Route;
use RuntimeException;

/** Redis ends while a request or job runs. */
final class OutageTest extends TestCase
{
    private ?RedisServer $redis = null;

    protected function setUp(): void
    {
        $this->redis = RedisServer::start();
        if ($this->redis === null) {
            $this->markTestSkipped('there is no redis-server');
        }
        $this->config = ['ratelimit.store' => $this->redis->dsn()];
        parent::setUp();
        Exceptions::fake();
    }

    public function testClearsEndWithoutAnExceptionAndAreReportedOnce(): void
    {
        RateLimiter::hit('key');
        $this->redis = null;

        self::assertSame(1, RateLimiter::hit('key'), 'the fallback begins with no count');
        RateLimiter::clear('key');
        self::assertSame(0, RateLimiter::attempts('key'), 'the fallback is cleared');
        self::assertSame(2, RateLimiter::increment('key', 60, 2));
        self::assertSame(1, RateLimiter::decrement('key'));
        self::assertTrue(RateLimiter::resetAttempts('key'));
        self::assertSame(0, RateLimiter::attempts('key'));
        $this->assertReportedOnce();
    }

    public function testEachRequestReports(): void
    {
        $this->redis = null;
        RateLimiter::clear('key');
        app()->forgetScopedInstances();
        RateLimiter::clear('key');

        Exceptions::assertReportedCount(2);
    }

    /** The steps of a login as in Laravel's starter kits. */
    public function testARightPasswordLogsIn(): void
    {
        Route::post('/login', function () {
            abort_if(RateLimiter::tooManyAttempts('ann|127.0.0.1', 5), 429);
            $this->redis = null;
            RateLimiter::clear('ann|127.0.0.1');

            return response()->noContent();
        });

        $this->post('/login')->assertNoContent();
        $this->assertReportedOnce();
    }

    public function testAThrottledRequestThatHeldAPlaceKeepsItsResponse(): void
    {
        $this->needsFunnels();
        Route::post('/', fn () => Cache::funnel('outer')->limit(1)->then(fn () => Cache::funnel('inner')->limit(1)->then(function () {
            $this->redis = null;

            return response('made', 201);
        })))->middleware('throttle:2,1');

        $this->post('/')->assertCreated()->assertSee('made')->assertHeader('X-RateLimit-Remaining', 1);
        $this->assertReportedOnce();
    }

    public function testTheExceptionOfAHolderStays(): void
    {
        $this->needsFunnels();
        $this->expectExceptionMessage('the work');

        Cache::funnel('reports')->limit(1)->then(function () {
            $this->redis = null;

            throw new RuntimeException('the work');
        });
    }

    public function testAnAttemptThatFailedIsReported(): void
    {
        try {
            RateLimiter::attempt('key', 1, function () {
                $this->redis = null;

                throw new RuntimeException('the work');
            });
            self::fail('no exception');
        } catch (RuntimeException $e) {
            self::assertSame('the work', $e->getMessage());
        }
        $this->assertReportedOnce();
    }

    public function testAResponseThatIsCountedAfterwardsStaysUnderEveryPolicy(): void
    {
        if (! method_exists(Limit::class, 'after')) {
            $this->markTestSkipped('this version of Laravel has no Limit::after()');
        }
        RateLimiter::for('missing', fn () => Limit::perMinute(2)->by('ip')->after(fn () => true));
        Route::post('/', function () {
            $this->redis = null;

            return response('made', 201);
        })->middleware('throttle:missing');
        $policy = ini_set('ratelimit.on_failure', 'throw');
        try {
            $this->post('/')->assertCreated()->assertHeader('X-RateLimit-Remaining', 2);
        } finally {
            ini_set('ratelimit.on_failure', $policy);
        }
        $this->assertReportedOnce();
    }

    public function testAJobThatRanIsNotReleased(): void
    {
        $job = new class
        {
            public ?int $released = null;

            public function release($delay): void
            {
                $this->released = $delay;
            }
        };
        (new ThrottlesExceptions(2, 60))->by('service')->handle($job, function () {
            $this->redis = null;
        });

        self::assertNull($job->released);
        $this->assertReportedOnce();
    }

    private function assertReportedOnce(): void
    {
        Exceptions::assertReported(StoreException::class);
        Exceptions::assertReportedCount(1);
    }

    private function needsFunnels(): void
    {
        if (! class_exists(ConcurrencyLimiter::class)) {
            $this->markTestSkipped('this version of Laravel has no Cache::funnel()');
        }
    }
}
