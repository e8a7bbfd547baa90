<?php

declare(strict_types=1);

namespace Ratelimit\HttpClient\Tests;

use FrequencyLimit\Clock;
use FrequencyLimit\Limit;
use FrequencyLimit\LimitExceeded;
use FrequencyLimit\Period;
use PHPUnit\Framework\Attributes\DataProvider;
use Ratelimit\HttpClient\Call;
use Ratelimit\HttpClient\RemoteLimit;

/** The turns and answers of calls, without a client. */
final class CallTest extends TestCase
{
    private const URL = 'https://api.example.org/v1';

    public function testTurnsComeInLine(): void
    {
        $remote = new RemoteLimit('api', Limit::fixedWindow(2, 10), 0);
        foreach ([0.0, 0.0, 10.0, 10.0, 20.0] as $wait) {
            $call = $remote->begin('GET', self::URL);
            self::assertSame($wait, $call->take());
            $calls[] = $call;
        }
        Clock::advance(10);
        self::assertSame(0.0, $calls[2]->take(), 'Its turn has come.');
    }

    public function testATurnBeyondTheWaitIsRefusedAndTakesNothing(): void
    {
        $remote = new RemoteLimit('api', Limit::fixedWindow(1, 10), 0, maxWait: 9);
        $remote->begin('GET', self::URL)->await();
        try {
            $remote->begin('GET', self::URL)->await();
            self::fail('It has waited.');
        } catch (LimitExceeded $e) {
            self::assertSame(10.0, $e->result->retryAfter);
        }
        Clock::advance(1);
        $remote->begin('GET', self::URL)->await();
        self::assertSame(0, $remote->limiter->peek('api.example.org', 0)->remaining);
    }

    /** @return iterable<string, array{Limit, string}> */
    public static function limits(): iterable
    {
        yield 'fixed window' => [Limit::fixedWindow(100, 60), 'fixed:100/63s'];
        yield 'sliding log' => [Limit::slidingLog(100, 60)->named('minute'), 'log:100/63s,name=minute'];
        yield 'sliding window' => [Limit::slidingWindow(100, 1), 'window:100/1050ms'];
        yield 'token bucket' => [Limit::tokenBucket(10, 1, 40), 'bucket:10/1050ms,burst=38'];
        yield 'token bucket of one' => [Limit::tokenBucket(1, 1), 'bucket:1/1050ms'];
        yield 'calendar' => [Limit::calendar(5000, Period::Hour, 'UTC')->named('hour'), 'calendar:4750/hour@UTC,name=hour'];
        yield 'places' => [Limit::concurrent(4, 30), 'concurrent:4/30s'];
        yield 'shadow' => [Limit::fixedWindow(100, 60)->shadow(), 'fixed:100/63s,shadow'];
    }

    #[DataProvider('limits')]
    public function testAMarginForTheNetworkStaysUnused(Limit $limit, string $text): void
    {
        self::assertSame($text, (string) (new RemoteLimit('api', $limit))->limiter->limits[0]);
        self::assertSame((string) $limit, (string) (new RemoteLimit('api', $limit, 0))->limiter->limits[0]);
    }

    public function testTheIdentityIsTheHostOrTheApplicationsOwn(): void
    {
        $remote = new RemoteLimit('api', Limit::fixedWindow(1, 10), maxWait: 0);
        foreach (['https://a.example/x', 'https://b.example/x', 'https://a.example:8443/x'] as $url) {
            self::assertSame(0.0, $remote->begin('GET', $url)->take());
        }
        $own = new RemoteLimit('api', Limit::fixedWindow(1, 10), identify: static fn (string $method, string $url): ?string => 'GET' === $method ? null : $url);
        self::assertNull($own->begin('GET', self::URL));
        self::assertSame(0.0, $own->begin('POST', self::URL)->take());
    }

    public function testAPlaceIsHeldUntilTheAnswerOrTheEndOfTheCall(): void
    {
        $remote = new RemoteLimit('api', Limit::concurrent(1, 60), maxWait: 0);
        $isFree = static fn (): bool => $remote->limiter->peek('api.example.org')->accepted;
        $ends = ['answered' => static fn (Call $call) => $call->answered(200, self::headers([])), 'ended' => static fn (Call $call) => $call->ended(), 'forgotten' => static function (?Call &$call): void {
            $call = null;
        }];
        foreach ($ends as $way => $end) {
            $call = $remote->begin('GET', self::URL);
            $call->await();
            self::assertFalse($isFree(), $way);
            $end($call);
            self::assertTrue($isFree(), $way);
        }
    }

    /** @return iterable<string, array{int, array<string, string>, float}> */
    public static function refusals(): iterable
    {
        $date = ['Date' => 'Wed, 21 Oct 2015 07:28:00 GMT'];
        yield 'Retry-After' => [429, ['Retry-After' => '20'], 20.0];
        yield 'Retry-After, a moment' => [429, ['Retry-After' => 'Wed, 21 Oct 2015 07:28:30 GMT'] + $date, 30.0];
        yield 'Retry-After of a 503' => [503, ['Retry-After' => '20'], 20.0];
        yield 'RateLimit' => [429, ['RateLimit' => '"minute";r=3;t=60, "day";r=0;t=25'], 25.0];
        yield 'RateLimit, the longest' => [429, ['RateLimit' => '"minute";r=0;t=20;pk=:dA==:, "hour";r=0;t=26'], 26.0];
        yield 'RateLimit of drafts 3 to 7' => [429, ['RateLimit' => 'limit=100, remaining=0, reset=50'], 50.0];
        yield 'RateLimit-Reset' => [429, ['RateLimit-Remaining' => '0', 'RateLimit-Reset' => '50'], 50.0];
        yield 'X-RateLimit-Reset, seconds' => [429, ['X-RateLimit-Remaining' => '0', 'X-RateLimit-Reset' => '50'], 50.0];
        yield 'X-RateLimit-Reset, a unix time' => [429, ['X-RateLimit-Remaining' => '0', 'X-RateLimit-Reset' => '1445412530'] + $date, 50.0];
        yield 'X-Rate-Limit-Reset, milliseconds' => [429, ['X-Rate-Limit-Remaining' => '0', 'X-Rate-Limit-Reset' => '1445412530000'] + $date, 50.0];
        yield 'Retry-After above all' => [429, ['Retry-After' => '7', 'X-RateLimit-Remaining' => '0', 'X-RateLimit-Reset' => '50'], 7.0];
    }

    /** @param array<string, string> $headers */
    #[DataProvider('refusals')]
    public function testARefusalStopsAllCalls(int $status, array $headers, float $seconds): void
    {
        $remote = new RemoteLimit('api', Limit::fixedWindow(100, 10), maxWait: 60);
        $call = $remote->begin('GET', self::URL);
        $call->await();
        self::assertTrue($call->answered($status, self::headers($headers)));
        self::assertSame($seconds, $remote->begin('GET', self::URL)->take(), 'Another call');
        self::assertSame($seconds, $call->take());
        Clock::advance($seconds);
        self::assertSame(0.0, $call->take());
        self::assertSame(0.0, $remote->begin('GET', 'https://another.example')->take());
    }

    public function testARefusalWithoutATimeIsTriedAgainLaterEachTime(): void
    {
        foreach ([429, 503] as $status) {
            $remote = new RemoteLimit("api $status", Limit::fixedWindow(100, 10));
            $call = $remote->begin('GET', self::URL);
            for ($i = 0; $i < 3; ++$i) {
                $call->await();
                self::assertTrue($call->answered($status, self::headers(['Retry-After' => 'soon'])));
                self::assertSame(429 === $status, !$remote->limiter->peek('api.example.org')->accepted, 'One server that is busy stops nobody else.');
                $wait = $call->take();
                self::assertTrue($wait >= 0.5 * 2 ** $i && $wait <= 2 ** $i, "$wait");
                Clock::advance($wait);
            }
            $call->await();
            self::assertFalse($call->answered($status, self::headers([])), 'Four attempts are the bound.');
        }
    }

    public function testARefusalThatLastsTooLongIsTheAnswer(): void
    {
        $remote = new RemoteLimit('api', Limit::fixedWindow(100, 10), maxWait: 5);
        $call = $remote->begin('GET', self::URL);
        $call->await();
        self::assertFalse($call->answered(429, self::headers(['Retry-After' => '6'])));
        self::assertFalse($remote->limiter->peek('api.example.org')->accepted, 'It stops all calls all the same.');
        $this->expectException(LimitExceeded::class);
        $remote->begin('GET', self::URL)->await();
    }

    public function testAShorterBanLeavesALongerOne(): void
    {
        $remote = new RemoteLimit('api', Limit::fixedWindow(100, 10), maxWait: 60);
        $calls = [$remote->begin('GET', self::URL), $remote->begin('GET', self::URL)];
        foreach ($calls as $call) {
            self::assertSame(0.0, $call->take());
        }
        foreach (['20', '5'] as $i => $seconds) {
            $calls[$i]->answered(429, self::headers(['Retry-After' => $seconds]));
        }
        self::assertSame(20.0, $calls[1]->take());
    }

    public function testABookedTurnWaitsForTheEndOfABan(): void
    {
        $remote = new RemoteLimit('api', Limit::fixedWindow(1, 10), 0, maxWait: 60);
        $first = $remote->begin('GET', self::URL);
        $first->await();
        $second = $remote->begin('GET', self::URL);
        self::assertSame(10.0, $second->take());
        $first->answered(429, self::headers(['Retry-After' => '30']));
        Clock::advance(10);
        self::assertSame(20.0, $second->take());
        Clock::advance(20);
        self::assertSame(0.0, $second->take());
    }

    /** @return iterable<string, array{array<string, string>}> */
    public static function remainders(): iterable
    {
        yield 'RateLimit' => [['RateLimit' => '"minute";r=3;t=20, "day";r=900;t=80000']];
        yield 'another unit' => [['RateLimit-Policy' => '"bytes";q=9;qu="content-bytes";w=60, "minute";q=100;w=60', 'RateLimit' => '"bytes";r=1;t=60, "minute";r=3;t=20']];
        yield 'X-RateLimit-Remaining' => [['X-RateLimit-Remaining' => '3', 'X-RateLimit-Reset' => '20']];
    }

    /** @param array<string, string> $headers */
    #[DataProvider('remainders')]
    public function testWhatTheRemoteHasLeftIsLeftToAll(array $headers): void
    {
        $remote = new RemoteLimit('api', Limit::fixedWindow(100, 60), maxWait: 60);
        $call = $remote->begin('GET', self::URL);
        $call->await();
        Clock::advance(0.001); // The network takes its time.
        $call->answered(200, self::headers($headers));
        foreach ([0.0, 0.0, 0.0, 20.0] as $wait) {
            self::assertSame($wait, ($call = $remote->begin('GET', self::URL))->take());
        }
        $call = $remote->begin('GET', self::URL);
        Clock::advance(20);
        self::assertSame(0.0, $call->take());
        self::assertSame(95, $remote->limiter->peek('api.example.org', 0)->remaining, 'A call that waits takes nothing.');
    }

    public function testACallThatWaitsForABanTakesNothingOfTheRemainder(): void
    {
        $remote = new RemoteLimit('api', Limit::fixedWindow(100, 60), maxWait: 60);
        [$first, $second] = [$remote->begin('GET', self::URL), $remote->begin('GET', self::URL)];
        $first->await();
        $second->await();
        Clock::advance(0.001);
        $first->answered(200, self::headers(['RateLimit' => '"minute";r=1;t=20']));
        $second->answered(429, self::headers(['Retry-After' => '5']));
        $waiting = $remote->begin('GET', self::URL);
        self::assertSame(5.0, $waiting->take());
        Clock::advance(5);
        self::assertSame(0.0, $waiting->take());
        self::assertEqualsWithDelta(15, $remote->begin('GET', self::URL)->take(), 0.01);
    }

    public function testOfItsOwnCallsThisSideKnowsMoreThanTheRemote(): void
    {
        $remote = new RemoteLimit('api', Limit::slidingLog(3, 2.5), 0, maxWait: 60);
        for ($i = 2; $i >= 0; --$i) {
            $call = $remote->begin('GET', self::URL);
            $call->await();
            $call->answered(200, self::headers(['RateLimit' => "\"default\";r=$i;t=3"]));
        }
        self::assertSame(2.5, $remote->begin('GET', self::URL)->take(), 'Not the rounded 3 seconds');
    }

    public function testNonsenseOfTheRemoteChangesNothing(): void
    {
        $remote = new RemoteLimit('api', Limit::fixedWindow(1000, 60), maxWait: 0);
        foreach (['', 'x', '"a"', '"a";r;t', '"a";r=-1', '"a";r=0', '";r=0;t=1', 'remaining=0', ';;;,,,', '"a";r=x;t=y', str_repeat('"a";r=0,', 5000)] as $line) {
            $call = $remote->begin('GET', self::URL);
            self::assertSame(0.0, $call->take(), $line);
            $call->answered(200, self::headers(['RateLimit' => $line, 'RateLimit-Policy' => $line, 'X-RateLimit-Remaining' => $line, 'X-RateLimit-Reset' => $line]));
        }
        $call = $remote->begin('GET', self::URL);
        $call->await();
        $call->answered(429, self::headers(['Retry-After' => '1e300']));
        self::assertEqualsWithDelta(86_400, $remote->limiter->peek('api.example.org')->retryAfter, 1, 'A ban of a day is the longest one.');
    }

    public function testWrongOptionsAreErrors(): void
    {
        foreach ([['margin' => 1.0], ['margin' => -0.1], ['margin' => \NAN], ['maxWait' => -1.0], ['attempts' => 0]] as $options) {
            try {
                new RemoteLimit('api', Limit::fixedWindow(1, 1), ...$options);
                self::fail(json_encode(array_keys($options)));
            } catch (\InvalidArgumentException $e) {
                self::assertStringContainsString('The margin is', $e->getMessage());
            }
        }
        $this->expectExceptionMessage('has no by()');
        new RemoteLimit('api', Limit::fixedWindow(1, 1)->by('user'));
    }

    /** @param array<string, string> $headers */
    private static function headers(array $headers): \Closure
    {
        return static fn (string $name): string => $headers[$name] ?? '';
    }
}
