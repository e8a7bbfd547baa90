<?php

namespace FrequencyLimit\Laravel\Tests;

use FrequencyLimit\Monitor;
use FrequencyLimit\StoreException;
use Illuminate\Bus\Queueable;
use Illuminate\Cache\Limiters\ConcurrencyLimiter;
use Illuminate\Cache\RateLimiting\Limit;
use Illuminate\Contracts\Queue\ShouldQueue;
use Illuminate\Http\Request;
use Illuminate\Queue\Events\JobExceptionOccurred;
use Illuminate\Queue\Events\JobProcessed;
use Illuminate\Queue\InteractsWithQueue;
use Illuminate\Queue\Middleware\RateLimited;
use Illuminate\Queue\Middleware\ThrottlesExceptions;
use Illuminate\Support\Facades\Artisan;
use Illuminate\Support\Facades\Cache;
use Illuminate\Support\Facades\Event;
use Illuminate\Support\Facades\Exceptions;
use Illuminate\Support\Facades\RateLimiter;
use Illuminate\Support\Facades\Route;
use PHPUnit\Framework\Attributes\DataProvider;
use RuntimeException;

/** Redis ends at each point of a login, of a throttled request, of a job and of a command. */
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

        self::assertSame(2, RateLimiter::hit('key'), 'the fallback goes on');
        RateLimiter::clear('key');
        self::assertSame(0, RateLimiter::attempts('key'), 'the fallback is cleared');
        self::assertSame(2, RateLimiter::increment('key', 60, 2));
        self::assertSame(1, RateLimiter::decrement('key'));
        self::assertTrue(RateLimiter::resetAttempts('key'));
        self::assertSame(0, RateLimiter::attempts('key'));
        $this->assertReportedOnce();
    }

    public function testCountsThatGoDownThrowUnderNoPolicy(): void
    {
        $this->policy('throw');
        $this->redis = null;

        self::assertSame(0, RateLimiter::decrement('key'));
        self::assertFalse(RateLimiter::resetAttempts('key'));
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
    #[DataProvider('policies')]
    public function testARightPasswordLogsInWhereRedisEndsWhileItIsChecked(string $policy): void
    {
        $this->policy($policy);
        $this->login(before: false);

        $this->post('/login', ['password' => 'right'])->assertNoContent();
        $this->assertReportedOnce();
    }

    #[DataProvider('policies')]
    public function testAnAwayRedisDecidesALoginByThePolicy(string $policy): void
    {
        $this->policy($policy);
        $this->login(before: true);

        $status = ['local' => 204, 'allow' => 204, 'deny' => 429, 'throw' => 500][$policy];
        $this->post('/login', ['password' => 'right'])->assertStatus($status);
        $this->post('/login', ['password' => 'wrong'])->assertStatus($status === 204 ? 422 : $status);
        if ($policy === 'local') {
            $this->post('/login', ['password' => 'wrong'])->assertStatus(422);
            $this->post('/login', ['password' => 'right'])->assertStatus(429);
        }
    }

    #[DataProvider('policies')]
    public function testAThrottledRequestKeepsItsResponseWhereRedisEndsAfterTheDecision(string $policy): void
    {
        $this->policy($policy);
        RateLimiter::for('two', fn () => [Limit::perMinute(9)->by('a'), Limit::perMinute(9)->by('b')]);
        Route::post('/', fn () => [response('made', 201), $this->redis = null][0])->middleware(['throttle:9,1', 'throttle:two']);

        $this->post('/')->assertCreated()->assertHeader('X-RateLimit-Remaining', 8);
        Exceptions::assertNothingReported();
        $this->post('/')->assertStatus(['local' => 201, 'allow' => 201, 'deny' => 503, 'throw' => 500][$policy]);
    }

    public function testARefusalByTheSecondOfTwoLimitsStaysOneWhereTheFirstCannotGiveBack(): void
    {
        RateLimiter::for('two', fn () => [Limit::perMinute(9)->by('a'), Limit::perMinute(1)->by('b')]);
        Route::get('/', fn () => 'yes')->middleware('throttle:two');
        // Another request takes the second limit's permit after the look, and then Redis ends.
        Monitor::listen(function () {
            Monitor::listen(null);
            $this->redis = null;
            RateLimiter::hit(md5('twob'));
        });

        $this->get('/')->assertStatus(429);
        $this->assertReportedOnce();
    }

    /** @return iterable<string, array{string}> */
    public static function policies(): iterable
    {
        foreach (['local', 'allow', 'deny', 'throw'] as $policy) {
            yield $policy => [$policy];
        }
    }

    private function policy(string $policy): void
    {
        ini_set('ratelimit.on_failure', $policy);
    }

    protected function tearDown(): void
    {
        ini_restore('ratelimit.on_failure');
        Monitor::listen(null);
        parent::tearDown();
    }

    private function login(bool $before): void
    {
        Route::post('/login', function (Request $request) use ($before) {
            if ($before) {
                $this->redis = null;
            }
            abort_if(RateLimiter::tooManyAttempts('ann|127.0.0.1', 2), 429);
            $this->redis = null;
            if ($request->input('password') !== 'right') {
                RateLimiter::hit('ann|127.0.0.1');
                abort(422);
            }
            RateLimiter::clear('ann|127.0.0.1');

            return response()->noContent();
        });
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

    /** A job of the queue, with Laravel's two middlewares. */
    #[DataProvider('policies')]
    public function testAJobOfTheQueueThatRanEndsWell(string $policy): void
    {
        $this->policy($policy);
        RateLimiter::for('jobs', fn () => Limit::perMinute(9));
        LimitedJob::$ran = 0;
        LimitedJob::$work = function () {
            $this->redis = null;
        };
        Event::fake([JobProcessed::class, JobExceptionOccurred::class]);
        dispatch(new LimitedJob);

        self::assertSame(1, LimitedJob::$ran);
        Event::assertDispatched(JobProcessed::class);
        Event::assertNotDispatched(JobExceptionOccurred::class);
        $this->assertReportedOnce();
    }

    #[DataProvider('policies')]
    public function testABanThatCannotBeWrittenIsAnErrorOfTheCommand(string $policy): void
    {
        $this->policy($policy);
        $this->redis = null;
        foreach (['ratelimit:ban', 'ratelimit:unban'] as $command) {
            self::assertSame(1, $this->withoutMockingConsoleOutput()->artisan($command, ['keys' => ['key']]));
            self::assertStringContainsString('ERROR  key: ', Artisan::output());
        }
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

final class LimitedJob implements ShouldQueue
{
    use InteractsWithQueue, Queueable;

    public static int $ran = 0;

    public static \Closure $work;

    public function middleware(): array
    {
        return [new RateLimited('jobs'), (new ThrottlesExceptions(2, 60))->by('service')];
    }

    public function handle(): void
    {
        self::$ran++;
        (self::$work)();
    }
}
