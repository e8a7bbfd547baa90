<?php

namespace FrequencyLimit\Laravel\Tests;

use FrequencyLimit\Laravel\ThrottleRequests;
use Illuminate\Cache\Limiters\ConcurrencyLimiter;
use Illuminate\Cache\RateLimiting\Limit;
use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Routing\Middleware\ThrottleRequestsWithRedis;
use Illuminate\Support\Facades\Cache;
use Illuminate\Support\Facades\RateLimiter;
use Illuminate\Support\Facades\Route;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;

/** The same application with the counts in Redis, which several machines share. */
final class RedisTest extends TestCase
{
    private static ?RedisServer $redis = null;

    public static function setUpBeforeClass(): void
    {
        self::$redis = RedisServer::start();
    }

    public static function tearDownAfterClass(): void
    {
        self::$redis = null;
        parent::tearDownAfterClass();
    }

    protected function setUp(): void
    {
        if (self::$redis === null) {
            $this->markTestSkipped('there is no redis-server');
        }
        $this->config = ['ratelimit.store' => self::$redis->dsn()];
        parent::setUp();
    }

    public function testCountsAreInRedis(): void
    {
        self::assertSame(3, RateLimiter::increment('key', 60, 3));
        self::assertTrue(RateLimiter::tooManyAttempts('key', 3));
        self::assertSame(60, RateLimiter::availableIn('key'));
        self::assertFalse(RateLimiter::attempt('key', 3, fn () => true));
        self::assertSame(2, RateLimiter::decrement('key'));
        try {
            RateLimiter::attempt('key', 3, fn () => throw new \RuntimeException);
        } catch (\RuntimeException) {
        }
        self::assertSame(2, RateLimiter::attempts('key'));
        RateLimiter::clear('key');
        self::assertSame(0, RateLimiter::attempts('key'));
    }

    public function testTheThrottleForRedisIsThisPackagesToo(): void
    {
        self::assertInstanceOf(ThrottleRequests::class, app(ThrottleRequestsWithRedis::class));
        RateLimiter::for('api', fn () => [Limit::perHour(10)->by('tenant'), Limit::perMinute(1)->by('user')]);
        Route::get('/', fn () => 'yes')->middleware(ThrottleRequestsWithRedis::class.':api');

        $this->get('/')->assertOk()->assertHeader('X-RateLimit-Remaining', 0);
        $this->get('/')->assertStatus(429)->assertHeader('Retry-After');
        self::assertSame(1, RateLimiter::attempts(md5('apitenant')));
    }

    #[RequiresPhpExtension('pcntl')]
    public function testEightProcessesPassExactlyTheLimit(): void
    {
        $admitted = Processes::run(8, function () {
            $admitted = 0;
            for ($i = 0; $i < 30; $i++) {
                $admitted += (int) RateLimiter::attempt('race', 100, fn () => true);
            }

            return $admitted;
        });

        self::assertSame(100, array_sum($admitted));
    }

    public function testFunnelsTakeTheirPlacesInRedis(): void
    {
        if (! class_exists(ConcurrencyLimiter::class)) {
            $this->markTestSkipped('this version of Laravel has no Cache::funnel()');
        }
        $inner = Cache::funnel('reports')->limit(1)->then(fn () => Cache::funnel('reports')->limit(1)->block(0)->then(fn () => 'inner', fn () => 'full'));

        self::assertSame('full', $inner);
        self::assertSame('free', Cache::funnel('reports')->limit(1)->block(0)->then(fn () => 'free'));
    }

    public function testAStoreThatDoesNotAnswerIsA503WhereTheExtensionRefuses(): void
    {
        $this->configured(['ratelimit.store' => 'unix:///nowhere/redis.sock']);
        $policy = ini_set('ratelimit.on_failure', 'deny');
        if ($policy === false) {
            $this->markTestSkipped('ratelimit.on_failure cannot be set by a script');
        }
        try {
            RateLimiter::for('two', fn () => [Limit::perMinute(9)->by('a'), Limit::perMinute(9)->by('b')]);
            RateLimiter::for('missing', fn () => Limit::perMinute(9)->after(fn () => true));
            foreach (['1,1', 'two', ...method_exists(Limit::class, 'after') ? ['missing'] : []] as $limits) {
                Route::get("/$limits", fn () => 'yes')->middleware("throttle:$limits");
                $this->get("/$limits")->assertStatus(503)->assertHeader('Retry-After');
            }
        } finally {
            ini_set('ratelimit.on_failure', $policy);
        }
    }

    public function testExceptionsAreReportedWhereTheExtensionRefuses(): void
    {
        $this->configured(['ratelimit.store' => 'unix:///nowhere/redis.sock']);
        $policy = ini_set('ratelimit.on_failure', 'deny');
        $reported = 0;
        try {
            $handler = app(ExceptionHandler::class);
            $handler->throttleUsing(fn (\DomainException $e) => Limit::perMinute(1));
            $handler->reportable(function (\DomainException $e) use (&$reported) {
                return $reported++ < 0;
            });
            report(new \DomainException);
            report(new \DomainException);
            self::assertFalse(RateLimiter::attempt('key', 1, fn () => true));
        } finally {
            ini_set('ratelimit.on_failure', $policy);
        }

        self::assertSame(2, $reported);
    }
}
