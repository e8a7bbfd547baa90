<?php

namespace FrequencyLimit\Laravel\Tests;

use Illuminate\Cache\RateLimiting\Limit;
use Illuminate\Routing\Middleware\ThrottleRequests;
use Illuminate\Support\Facades\Artisan;
use Illuminate\Support\Facades\RateLimiter;
use Illuminate\Support\Facades\Route;

final class ConsoleTest extends TestCase
{
    public function testACommandBansCallersOfANamedLimiterAndLiftsTheBans(): void
    {
        RateLimiter::for('api', fn ($request) => Limit::perMinute(2)->by($request->ip()));
        Route::get('/', fn () => 'yes')->middleware('throttle:api');

        foreach ([true, false] as $hashed) {
            ThrottleRequests::shouldHashKeys($hashed);
            try {
                $this->get('/')->assertOk();
                self::assertSame([0, "127.0.0.1: banned for 15m\n192.0.2.1: banned for 15m\n"], $this->console('ratelimit:ban', ['keys' => ['127.0.0.1', '192.0.2.1'], '--limiter' => 'api', '--for' => '15m']));
                $this->get('/')->assertStatus(429)->assertHeader('Retry-After', 900);
                self::assertSame([0, "127.0.0.1: the ban is lifted\n192.0.2.9: there was no ban\n"], $this->console('ratelimit:unban', ['keys' => ['127.0.0.1', '192.0.2.9'], '--limiter' => 'api']));
                $this->get('/')->assertOk();
            } finally {
                ThrottleRequests::shouldHashKeys(true);
            }
        }
    }

    public function testACommandBansAKeyOfTheApplicationAndShowsIt(): void
    {
        self::assertSame(0, $this->console('ratelimit:ban', ['keys' => ["login:ann\e[31m"]])[0]);
        self::assertTrue(RateLimiter::tooManyAttempts("login:ann\e[31m", 5));
        self::assertSame(3600, RateLimiter::availableIn("login:ann\e[31m"));
        self::assertFalse(RateLimiter::attempt("login:ann\e[31m", 5, fn () => true));

        [, $top] = $this->console('ratelimit:top');
        self::assertMatchesRegularExpression('/\| login:ann\\\\033\[31m +\| 1 .*\| login:ann\\\\033\[31m +\| 20/s', $top);
        $this->console('ratelimit:unban', ['keys' => ["login:ann\e[31m"]]);
        self::assertFalse(RateLimiter::tooManyAttempts("login:ann\e[31m", 5));
    }

    public function testRefusalsOfSeveralLimitsAndOfCountedResponsesAreShown(): void
    {
        RateLimiter::for('two', fn () => [Limit::perMinute(9)->by('a'), Limit::perMinute(1)->by('b')]);
        RateLimiter::for('missing', fn () => Limit::perMinute(1)->by('c')->after(fn () => true));
        foreach (['two' => 'b'] + (method_exists(Limit::class, 'after') ? ['missing' => 'c'] : []) as $name => $key) {
            Route::get("/$name", fn () => 'yes')->middleware("throttle:$name");
            foreach ([200, 429, 429] as $status) {
                $this->get("/$name")->assertStatus($status);
            }

            self::assertMatchesRegularExpression('/\| '.md5($name.$key).' +\| 2 /', $this->console('ratelimit:top')[1]);
        }
    }

    public function testANumberOfRowsOutOfBoundsIsAnError(): void
    {
        foreach (['abc', '0', '1001', ''] as $count) {
            [$status, $text] = $this->console('ratelimit:top', ['--count' => $count]);
            self::assertSame(2, $status);
            self::assertStringContainsString("--count must be between 1 and 1000, \"$count\" given.", $text);
        }
    }

    public function testACommandThatDoesNothingSaysSoAndFails(): void
    {
        foreach ([['keys' => ['a'], '--limiter' => 'apii'], ['keys' => ['a'], '--for' => 'soon'], ['keys' => ['a'], '--for' => '11y']] as $arguments) {
            [$status, $text] = $this->console('ratelimit:ban', $arguments);
            self::assertSame(1, $status, $text);
            self::assertStringContainsString('ERROR', $text);
        }
        self::assertStringContainsString('Nobody is banned.', $this->console('ratelimit:top')[1]);
    }

    /**
     * @param  array<string, mixed>  $arguments
     * @return array{int, string} the exit status and the output
     */
    private function console(string $command, array $arguments = []): array
    {
        $status = $this->withoutMockingConsoleOutput()->artisan($command, $arguments);

        return [$status, Artisan::output()];
    }
}
