<?php

namespace FrequencyLimit\Laravel\Tests;

use FrequencyLimit\AccessLimit;
use FrequencyLimit\Clock;
use FrequencyLimit\Limit as ExtensionLimit;
use FrequencyLimit\LimitExceeded;
use FrequencyLimit\Limiter;
use FrequencyLimit\RateLimit;
use FrequencyLimit\Request;
use Illuminate\Cache\RateLimiting\Limit;
use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Foundation\Auth\User;
use Illuminate\Http\Exceptions\ThrottleRequestsException;
use Illuminate\Queue\Middleware\RateLimited;
use Illuminate\Queue\Middleware\ThrottlesExceptions;
use Illuminate\Support\Facades\RateLimiter;
use Illuminate\Support\Facades\Route;
use RuntimeException;

final class ThrottleTest extends TestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        $this->freezeSecond();
        RateLimiter::attempts('any'); // The extension's clock follows.
    }

    public function testTheHeadersAreThoseOfTheDecision(): void
    {
        Route::get('/', fn () => 'yes')->middleware('throttle:2,1');

        foreach ([1, 0] as $remaining) {
            $this->get('/')->assertOk()->assertHeader('X-RateLimit-Limit', 2)->assertHeader('X-RateLimit-Remaining', $remaining)
                ->assertHeaderMissing('Retry-After');
        }
        $this->travel(18)->seconds();
        $this->get('/')->assertStatus(429)->assertHeader('X-RateLimit-Limit', 2)->assertHeader('X-RateLimit-Remaining', 0)
            ->assertHeader('Retry-After', 42)->assertHeader('X-RateLimit-Reset', now()->addSeconds(42)->getTimestamp());
        $this->travel(42)->seconds();
        $this->get('/')->assertOk();
    }

    public function testTheHeadersOfTheIetfAreAnOption(): void
    {
        RateLimiter::for('api', fn () => [Limit::perHour(10)->by('tenant'), Limit::perMinute(2)->by('user')]);
        Route::get('/api', fn () => 'yes')->middleware(['throttle:5,1', 'throttle:api']);
        $this->get('/api')->assertOk()->assertHeaderMissing('RateLimit')->assertHeaderMissing('RateLimit-Policy');

        config(['ratelimit.ietf_headers' => true]);
        $this->travel(10)->seconds();
        $this->get('/api')->assertOk()
            ->assertHeader('RateLimit-Policy', '"5/60s";q=5;w=60, "api";q=10;w=3600, "api-2";q=2;w=60')
            ->assertHeader('RateLimit', '"5/60s";r=3;t=50, "api";r=8;t=3590, "api-2";r=0;t=50')
            ->assertHeader('X-RateLimit-Remaining', 0);
        $this->get('/api')->assertStatus(429)
            ->assertHeader('RateLimit-Policy', '"5/60s";q=5;w=60, "api-2";q=2;w=60')->assertHeader('RateLimit', '"5/60s";r=2;t=50, "api-2";r=0;t=50')
            ->assertHeader('Retry-After', 50)->assertHeader('X-RateLimit-Limit', 2);
    }

    public function testTheHeadersOfTheIetfAreThoseOfAnyLimit(): void
    {
        config(['ratelimit.ietf_headers' => true]);
        RateLimiter::for('up v2', fn () => [Limit::none(), new Limit('most', 10 ** 13, 10 ** 9), Limit::perMinute(9)->by('user')]);
        RateLimiter::for('two words', fn () => [Limit::perMinute(5)->by('a'), Limit::perMinute(2)->by('b')]);
        Route::get('/', fn () => 'yes')->middleware('throttle:up v2');
        Route::get('/two', fn () => 'yes')->middleware('throttle:two words');

        $this->get('/')->assertOk()->assertHeader('RateLimit-Policy', '"default-2";q=16777215;w=315360000, "default-3";q=9;w=60');
        $this->get('/two')->assertOk()->assertHeader('RateLimit', '"default";r=4;t=60, "default-2";r=1;t=60');
    }

    public function testARequestThatOneOfSeveralLimitsRefusesCountsNowhere(): void
    {
        RateLimiter::for('api', fn () => [Limit::perHour(10)->by('tenant'), Limit::perMinute(2)->by('user')]);
        Route::get('/', fn () => 'yes')->middleware('throttle:api');

        $this->get('/')->assertOk()->assertHeader('X-RateLimit-Limit', 2)->assertHeader('X-RateLimit-Remaining', 1);
        $this->get('/')->assertOk();
        for ($i = 0; $i < 5; $i++) {
            $this->get('/')->assertStatus(429)->assertHeader('X-RateLimit-Limit', 2)->assertHeader('Retry-After', 60);
        }

        self::assertSame(2, RateLimiter::attempts(md5('apitenant')));
        self::assertSame(2, RateLimiter::attempts(md5('apiuser')));
    }

    public function testALimitWithAnAfterCallbackCountsTheResponsesThatItNames(): void
    {
        if (! method_exists(Limit::class, 'after')) {
            $this->markTestSkipped('this version of Laravel has no Limit::after()');
        }
        RateLimiter::for('missing', fn () => Limit::perMinute(2)->by('ip')->after(fn ($response) => $response->status() === 404));
        Route::get('/{status}', fn ($status) => response('', (int) $status))->middleware('throttle:missing');

        for ($i = 0; $i < 5; $i++) {
            $this->get('/200')->assertOk()->assertHeader('X-RateLimit-Remaining', 2);
        }
        $this->get('/404')->assertNotFound()->assertHeader('X-RateLimit-Remaining', 1);
        $this->get('/404')->assertNotFound()->assertHeader('X-RateLimit-Remaining', 0);
        $this->get('/200')->assertStatus(429);
    }

    public function testALimitsOwnResponseGetsTheHeaders(): void
    {
        RateLimiter::for('own', fn () => Limit::perMinute(1)->response(fn ($request, $headers) => response('slower', 420, $headers)));
        Route::get('/', fn () => 'yes')->middleware('throttle:own');

        $this->get('/')->assertOk();
        $this->get('/')->assertStatus(420)->assertSee('slower')->assertHeader('Retry-After', 60);
    }

    public function testALimitOfZeroRefusesAndAWindowOfNoSecondsDoesNot(): void
    {
        Route::get('/closed', fn () => 'yes')->middleware('throttle:0,1');
        Route::get('/open', fn () => 'yes')->middleware('throttle:1,0');

        $this->get('/closed')->assertStatus(429)->assertHeader('Retry-After', 60);
        $this->get('/open')->assertOk();
        $this->get('/open')->assertOk();
    }

    public function testAMiddlewareThatExtendsLaravelsWorks(): void
    {
        $extending = new class(app(\Illuminate\Cache\RateLimiter::class)) extends \Illuminate\Routing\Middleware\ThrottleRequests
        {
            protected function resolveRequestSignature($request)
            {
                return 'mine';
            }
        };
        app()->instance('extending', $extending);
        Route::get('/', fn () => 'yes')->middleware('extending:1,1');

        $this->get('/')->assertOk();
        $this->get('/')->assertStatus(429);
        self::assertSame(1, RateLimiter::attempts('mine'));
    }

    public function testARefusalOfTheAttributeIsA429WithItsHeaders(): void
    {
        Route::get('/', fn () => (new Limited)->once());

        $this->get('/')->assertOk();
        $this->getJson('/')->assertStatus(429)->assertHeader('X-RateLimit-Limit', 1)->assertHeader('X-RateLimit-Remaining', 0)
            ->assertHeader('Retry-After', 60)->assertHeader('RateLimit', '"default";r=0;t=60')
            ->assertJson(['message' => 'Too Many Attempts.']);
    }

    public function testTheAttributeOfANamedLimiterLimitsAControllerByItsArgument(): void
    {
        Limiter::define(new Limiter('search', ['minute' => ExtensionLimit::slidingLog(2, 60), 'hour' => ExtensionLimit::fixedWindow(9, 3600)]));
        Route::get('/search/{tenant}', [Limited::class, 'search']);

        foreach ([200, 200, 429] as $status) {
            $answer = $this->get('/search/a')->assertStatus($status);
        }
        $answer->assertHeader('Retry-After', 60)->assertHeader('RateLimit-Policy', '"minute";q=2;w=60, "hour";q=9;w=3600');
        $this->get('/search/b')->assertOk();
        self::assertSame(0, Limiter::named('search')->peek('a', 0)->remaining);
    }

    public function testTheAttributeCountsForTheUserOfTheGuard(): void
    {
        Route::get('/', fn () => (new Limited)->perUser());

        $this->getJson('/')->assertUnauthorized();
        $this->actingAs((new User)->forceFill(['id' => 7]))->get('/')->assertOk();
        $this->actingAs((new User)->forceFill(['id' => 7]))->get('/')->assertStatus(429);
        $this->actingAs((new User)->forceFill(['id' => 8]))->get('/')->assertOk();
    }

    public function testTheAttributeHasUsersWhereLaravelsLimiterDecides(): void
    {
        $this->configured(['ratelimit.enabled' => false]);
        Route::get('/', fn () => (new Limited)->perUser());

        $this->actingAs((new User)->forceFill(['id' => 7]))->get('/')->assertOk();
        $this->get('/')->assertStatus(429);
        $this->travel(61)->seconds();
        $this->get('/')->assertOk();
    }

    public function testTheAttributeCountsForAUserWhoseIdIsAnObject(): void
    {
        $user = new class extends User
        {
            public function getAuthIdentifier()
            {
                return new \Illuminate\Support\Stringable('0197f2a0-0000-7000-8000-000000000000');
            }
        };
        Route::get('/', fn () => (new Limited)->perUser());

        $this->actingAs($user)->get('/')->assertOk();
        $this->actingAs($user)->get('/')->assertStatus(429);
    }

    public function testTheAttributesWindowMovesWithCarbonsTime(): void
    {
        Route::get('/', fn () => (new Limited)->once());

        $this->get('/')->assertOk();
        $this->get('/')->assertStatus(429);
        $this->travel(61)->seconds();
        $this->get('/')->assertOk();
    }

    public function testAPlainLimitersWindowMovesWithTheNextThrottle(): void
    {
        $limiter = new Limiter('plain', ExtensionLimit::fixedWindow(1, 60));
        self::assertSame([true, false], [$limiter->allow('ann'), $limiter->allow('ann')]);
        $this->travel(61)->seconds();
        RateLimiter::attempts('any');

        self::assertTrue($limiter->allow('ann'));
    }

    public function testAQueueJobThatOneOfSeveralLimitsRefusesIsReleasedAndCountsNowhere(): void
    {
        RateLimiter::for('jobs', fn ($job) => [Limit::perHour(10)->by('all'), Limit::perMinute(1)->by($job->id)]);
        $ran = 0;
        $run = function (object $job) use (&$ran) {
            (new RateLimited('jobs'))->handle($job, function () use (&$ran) {
                $ran++;
            });

            return $job->released;
        };

        self::assertNull($run($this->job(1)));
        self::assertSame(63, $run($this->job(1)));
        self::assertSame(63, $run($this->job(1)));
        self::assertNull($run($this->job(2)));
        self::assertSame(2, $ran);
        self::assertSame(2, RateLimiter::attempts(md5('jobsall')));
    }

    public function testALimiterOfAQueueMayReturnANamedArrayOrACollection(): void
    {
        foreach ([fn (array $limits) => $limits, collect(...)] as $i => $wrap) {
            RateLimiter::for("jobs$i", fn () => $wrap(['hour' => Limit::perHour(10)->by('all'), 'minute' => Limit::perMinute(1)->by('each')]));
            $job = $this->job(1);
            $released = [];
            foreach ([1, 2] as $ignored) {
                (new RateLimited("jobs$i"))->handle($job, fn () => null);
                $released[] = $job->released;
            }

            self::assertSame([null, 63], $released);
        }
    }

    public function testAQueueLimitOfZeroHoldsJobsBackForItsPeriod(): void
    {
        RateLimiter::for('jobs', fn () => Limit::perHour(0));
        $job = $this->job(1);
        (new RateLimited('jobs'))->handle($job, fn () => self::fail('0 jobs are 0 jobs'));

        self::assertSame(3603, $job->released);
    }

    public function testAQueueMiddlewareWithKeysOfItsOwnKeepsThem(): void
    {
        RateLimiter::for('jobs', fn () => Limit::perMinute(1)->by('job'));
        $middleware = new class('jobs') extends RateLimited
        {
            public function handle($job, $next)
            {
                $limit = $this->limiter->limiter($this->limiterName)($job);

                return $this->handleJob($job, $next, [(object) ['key' => "tenant-$job->id", 'maxAttempts' => $limit->maxAttempts, 'decaySeconds' => 60]]);
            }
        };
        $run = fn (int $tenant) => [$middleware->handle($job = $this->job($tenant), fn () => null), $job->released][1];

        self::assertSame([null, null, 63], array_map($run, [1, 2, 1]));
    }

    public function testAQueueMiddlewareWithAHandleJobOfItsOwnKeepsIt(): void
    {
        RateLimiter::for('jobs', fn () => Limit::perMinute(1));
        $middleware = new class('jobs') extends RateLimited
        {
            public array $limits = [];

            protected function handleJob($job, $next, array $limits)
            {
                $this->limits = $limits;
            }
        };
        $middleware->handle($this->job(1), fn () => self::fail('its handleJob() decides'));

        self::assertSame(1, $middleware->limits[0]->maxAttempts);
        self::assertSame(0, RateLimiter::attempts(md5('jobs')));
    }

    public function testThrottlesExceptionsHoldsJobsBackAfterTooManyExceptions(): void
    {
        $middleware = (new ThrottlesExceptions(2, 60))->by('service');
        $handle = fn (object $job, callable $next) => [$middleware->handle($job, $next), $job->released][1];

        self::assertSame(0, $handle($this->job(1), fn () => throw new RuntimeException));
        self::assertSame(0, $handle($this->job(1), fn () => throw new RuntimeException));
        self::assertSame(63, $handle($this->job(1), fn () => self::fail('the job is held back')));
        $this->travel(61)->seconds();
        self::assertNull($handle($this->job(1), fn () => null));
        self::assertSame(0, RateLimiter::attempts('laravel_throttles_exceptions:service'));
    }

    private function job(int $id): object
    {
        return new class($id)
        {
            public ?int $released = null;

            public function __construct(public readonly int $id)
            {
            }

            public function release($delay): void
            {
                $this->released = $delay;
            }
        };
    }

    public function testAPageOfTheApplicationHasTheResultOfAnAttributesRefusal(): void
    {
        Route::get('/', [Limited::class, 'once']);
        app(ExceptionHandler::class)->renderable(fn (ThrottleRequestsException $e) => response(
            $e->getPrevious() instanceof LimitExceeded ? "again {$e->getPrevious()->result->retryText()}" : 'again later', 429, $e->getHeaders()
        ));

        $this->get('/')->assertOk();
        $this->get('/')->assertStatus(429)->assertContent('again in 60 seconds')->assertHeader('Retry-After', 60);
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        Clock::unfreeze();
        Request::identifyBy(null);
    }
}

final class Limited
{
    #[AccessLimit(seconds: 60, maxCount: 1, action: 'laravel-once')]
    public function once(): string
    {
        return 'yes';
    }

    #[RateLimit('search', id: 'tenant')]
    public function search(string $tenant): string
    {
        return $tenant;
    }

    #[AccessLimit(seconds: 60, maxCount: 1, needLogin: true, action: 'laravel-user')]
    public function perUser(): string
    {
        return 'yes';
    }
}
