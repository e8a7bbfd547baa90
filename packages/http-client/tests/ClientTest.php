<?php

declare(strict_types=1);

namespace Ratelimit\HttpClient\Tests;

use FrequencyLimit\Clock;
use FrequencyLimit\Limit;
use FrequencyLimit\LimitExceeded;
use GuzzleHttp\Client;
use GuzzleHttp\HandlerStack;
use GuzzleHttp\Promise\Promise;
use GuzzleHttp\Promise\Utils;
use GuzzleHttp\Psr7\NoSeekStream;
use GuzzleHttp\Psr7\Request;
use GuzzleHttp\Psr7\Response;
use GuzzleHttp\Psr7\Utils as Psr7Utils;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\TestWith;
use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;
use Ratelimit\HttpClient\GuzzleMiddleware;
use Ratelimit\HttpClient\Psr18Client;
use Ratelimit\HttpClient\RemoteLimit;
use Ratelimit\HttpClient\SymfonyClient;
use Symfony\Component\HttpClient\Exception\TransportException;
use Symfony\Component\HttpClient\HttpClient;
use Symfony\Component\HttpClient\MockHttpClient;
use Symfony\Component\HttpClient\Response\MockResponse;

/** The three clients, with a server that limits. */
final class ClientTest extends TestCase
{
    /** @return iterable<string, array{\Closure(RemoteLimit): \Closure(string, string=): array{int, string}}> */
    public static function clients(): iterable
    {
        yield 'Guzzle' => [static function (RemoteLimit $limits): \Closure {
            $client = self::guzzle($limits);

            return static fn (string $url, string $body = ''): array => self::answer($client->post($url, ['body' => $body]));
        }];
        yield 'PSR-18' => [static function (RemoteLimit $limits): \Closure {
            $client = new Psr18Client(new Client(), $limits);

            return static fn (string $url, string $body = ''): array => self::answer($client->sendRequest(new Request('POST', $url, [], $body)));
        }];
        yield 'Symfony' => [static function (RemoteLimit $limits): \Closure {
            $client = new SymfonyClient(HttpClient::create(), $limits);

            return static function (string $url, string $body = '') use ($client): array {
                $response = $client->request('POST', $url, ['body' => $body]);

                return [$response->getStatusCode(), $response->getContent(false)];
            };
        }];
    }

    #[DataProvider('clients')]
    public function testARefusedRequestIsSentAgainWithItsBody(\Closure $client): void
    {
        foreach (['429/Retry-After=20', '503/Retry-After=20', '429', '503'] as $i => $refusal) {
            $remote = new Remote();
            $ask = $client(new RemoteLimit("api $i", Limit::fixedWindow(100, 1), maxWait: 60));
            self::assertSame([200, 'body'], $ask("$remote->url/fail/2/$refusal", 'body'));
            self::assertSame(3, $remote->state()['failed']);
        }
    }

    #[DataProvider('clients')]
    public function testARefusalBeyondTheBoundsIsTheAnswer(\Closure $client): void
    {
        $remote = new Remote();
        $ask = $client(new RemoteLimit('attempts', Limit::fixedWindow(100, 1), maxWait: 60, attempts: 2));
        self::assertSame(429, $ask("$remote->url/fail/9/429/Retry-After=20")[0]);
        self::assertSame(2, $remote->state()['failed']);
        $ask = $client(new RemoteLimit('time', Limit::fixedWindow(100, 1), maxWait: 5));
        self::assertSame(503, $ask("$remote->url/fail/9/503/Retry-After=6")[0]);
        self::assertSame(3, $remote->state()['failed']);
        // The turn after the refusal does not come in time.
        $ask = $client(new RemoteLimit('turn', Limit::fixedWindow(1, 100), maxWait: 5));
        self::assertSame(429, $ask("$remote->url/fail/9/429/Retry-After=4")[0]);
        self::assertSame(4, $remote->state()['failed']);
    }

    #[DataProvider('clients')]
    public function testARequestWhoseTurnDoesNotComeIsNotSent(\Closure $client): void
    {
        $remote = new Remote();
        $ask = $client(new RemoteLimit('api', Limit::fixedWindow(1, 100), maxWait: 5));
        self::assertSame(200, $ask("$remote->url/fail/0/0")[0]);
        try {
            $ask("$remote->url/fail/0/0");
            self::fail('It was sent.');
        } catch (ClientExceptionInterface|TransportException $e) {
            self::assertInstanceOf(LimitExceeded::class, $e->getPrevious());
        }
        self::assertSame(1, $remote->state()['failed']);
    }

    #[DataProvider('clients')]
    public function testAnAnswerThatNeverComesGivesItsPlaceBack(\Closure $client): void
    {
        $limits = new RemoteLimit('api', Limit::concurrent(1, 60), maxWait: 0);
        $ask = $client($limits);
        try {
            $ask('http://127.0.0.1:1/');
            self::fail('Somebody answers.');
        } catch (ClientExceptionInterface|TransportException) {
        }
        self::assertTrue($limits->limiter->peek('127.0.0.1:1')->accepted);
    }

    #[DataProvider('clients')]
    public function testAnIdentityOfNullHasNoLimits(\Closure $client): void
    {
        $remote = new Remote();
        $ask = $client(new RemoteLimit('api', Limit::fixedWindow(1, 100), maxWait: 0, identify: static fn (): ?string => null));
        foreach ([429, 200, 200] as $status) {
            self::assertSame($status, $ask("$remote->url/fail/1/429")[0]);
        }
    }

    public function testGuzzleDelaysAsynchronousRequestsUntilTheirTurns(): void
    {
        $client = self::guzzle(new RemoteLimit('api', Limit::fixedWindow(1, 10), 0), self::later($delays));
        Utils::unwrap([$client->getAsync('https://api.example'), $client->getAsync('https://api.example'), $client->getAsync('https://api.example', ['delay' => 5])]);
        self::assertSame([0, 10_000.0, 20_005.0], $delays);
    }

    public function testGuzzleFinishesItsOwnRequestsBeforeItWaitsForAPlace(): void
    {
        $client = self::guzzle(new RemoteLimit('api', Limit::concurrent(2, 60), maxWait: 0), self::later($delays, $most));
        self::assertCount(20, Utils::unwrap(array_map(static fn () => $client->getAsync('https://api.example'), range(1, 20))));
        self::assertSame([2, 20], [$most, \count($delays)]);
    }

    public function testSymfonyPausesResponsesUntilTheirTurns(): void
    {
        $pauses = [];
        $client = new SymfonyClient(new MockHttpClient(static function () use (&$pauses): MockResponse {
            return new MockResponse('', ['pause_handler' => static function (float $seconds) use (&$pauses): void {
                $pauses[] = $seconds;
            }]);
        }), new RemoteLimit('api', Limit::fixedWindow(1, 10), 0));
        $responses = array_map(static fn () => $client->request('GET', 'https://api.example'), range(1, 3));
        self::assertSame([200, 200, 200], array_map(static fn ($response) => $response->getStatusCode(), $responses));
        self::assertSame([10.0, 20.0], $pauses);
    }

    public function testSymfonyReadsItsOwnResponsesBeforeItWaitsForAPlace(): void
    {
        $remote = new Remote(2);
        $limits = new RemoteLimit('api', Limit::concurrent(2, 60), maxWait: 0);
        $client = new SymfonyClient(HttpClient::create(), $limits);
        $responses = array_map(static fn () => $client->request('GET', "$remote->url/places"), range(1, 8));
        $contents = array_fill(0, 8, '');
        foreach ($client->stream($responses) as $response => $chunk) {
            $contents[array_search($response, $responses, true)] .= $chunk->getContent();
        }
        self::assertSame(array_fill(0, 8, '200'), $contents);
        self::assertLessThanOrEqual(2, $remote->state()['most']);
        self::assertSame(2, $limits->limiter->peek(substr($remote->url, 7), 0)->remaining);
    }

    public function testSymfonyFreesThePlaceOfAResponseThatIsCanceledOrNeverRead(): void
    {
        $remote = new Remote(1);
        $limits = new RemoteLimit('api', Limit::concurrent(1, 60), maxWait: 0);
        $client = new SymfonyClient(HttpClient::create(), $limits);
        $isFree = static fn (): bool => $limits->limiter->peek(substr($remote->url, 7))->accepted;
        $response = $client->request('GET', "$remote->url/places");
        self::assertFalse($isFree());
        $response->cancel();
        self::assertTrue($isFree(), 'canceled');
        $response = $client->request('GET', "$remote->url/fail/0/0");
        self::assertFalse($isFree());
        unset($response);
        self::assertTrue($isFree(), 'never read');
    }

    public function testSymfonyFreesThePlaceOfAResponseThatFailed(): void
    {
        $limits = new RemoteLimit('api', Limit::concurrent(1, 60), maxWait: 0);
        $response = (new SymfonyClient(HttpClient::create(), $limits))->request('GET', 'http://127.0.0.1:1/');
        try {
            $response->getStatusCode();
            self::fail('Somebody answers.');
        } catch (TransportException) {
        }
        self::assertTrue($limits->limiter->peek('127.0.0.1:1')->accepted);
    }

    /**
     * Asynchronous requests: what sends one, and what waits for all and calls back with the number and the status of each answer.
     *
     * @return iterable<string, array{\Closure(RemoteLimit): array{\Closure(string): mixed, \Closure(list<mixed>, \Closure(int, int): void): void}}>
     */
    public static function asynchronousClients(): iterable
    {
        yield 'Guzzle' => [static function (RemoteLimit $limits): array {
            $client = self::guzzle($limits);

            return [$client->getAsync(...), static function (array $promises, \Closure $answered): void {
                Utils::unwrap(array_map(static fn ($i, $promise) => $promise->then(static fn ($response) => $answered($i, $response->getStatusCode())), array_keys($promises), $promises));
            }];
        }];
        yield 'Symfony' => [static function (RemoteLimit $limits): array {
            $client = new SymfonyClient(HttpClient::create(), $limits);

            return [static fn (string $url) => $client->request('GET', $url), static function (array $responses, \Closure $answered) use ($client): void {
                foreach ($client->stream($responses) as $response => $chunk) {
                    // Symfony throws for a status of 400 and more that nobody has read.
                    if ($chunk->isFirst()) {
                        $response->getStatusCode();
                    } elseif ($chunk->isLast()) {
                        $answered(array_search($response, $responses, true), $response->getStatusCode());
                    }
                }
            }];
        }];
    }

    #[DataProvider('asynchronousClients')]
    public function testAnotherHostAnswersWhileARemoteIsBanned(\Closure $client): void
    {
        Clock::unfreeze();
        [$remote, $other] = [new Remote(), new Remote()];
        $limits = new RemoteLimit('api', Limit::fixedWindow(100, 1));
        $isBanned = static fn (): bool => !$limits->limiter->peek(substr($remote->url, 7))->accepted;
        [$ask, $wait] = $client($limits);
        foreach (['refused' => "$remote->url/fail/1/429/Retry-After=2", 'banned before it asks' => "$remote->url/limited"] as $case => $url) {
            if ('refused' !== $case) {
                $limits->stop(substr($remote->url, 7), 2.0);
            }
            $answers = [];
            $wait([$ask($url), $ask("$other->url/limited"), $ask("$other->url/fail/0/0")], static function (int $i, int $status) use (&$answers, $isBanned): void {
                $answers[$i] = [$status, $isBanned()];
            });
            ksort($answers);
            self::assertSame([[200, false], [200, true], [200, true]], $answers, $case);
        }
        self::assertSame(1, $remote->state()['admitted']);
    }

    #[DataProvider('asynchronousClients')]
    public function testATurnThatDoesNotComeAfterABanIsAnError(\Closure $client): void
    {
        $limits = new RemoteLimit('api', Limit::fixedWindow(1, 100), maxWait: 5);
        $limits->begin('GET', 'http://127.0.0.1:1')?->await();
        $limits->stop('127.0.0.1:1', 4.0);
        [$ask, $wait] = $client($limits);
        try {
            $wait([$ask('http://127.0.0.1:1')], static fn () => self::fail('It was sent.'));
        } catch (ClientExceptionInterface|TransportException $e) {
            self::assertInstanceOf(LimitExceeded::class, $e->getPrevious());
        }
    }

    #[TestWith([0])]
    #[TestWith([1])]
    public function testARefusalIsTheAnswerOfAnAsynchronousRequestWhoseTurnDoesNotCome(int $which): void
    {
        $remote = new Remote();
        [$ask, $wait] = array_values(iterator_to_array(self::asynchronousClients()))[$which][0](new RemoteLimit('api', Limit::fixedWindow(1, 100), maxWait: 5));
        $wait([$ask("$remote->url/fail/9/429/Retry-After=4")], static fn (int $i, int $status) => self::assertSame(429, $status));
        self::assertSame(1, $remote->state()['failed']);
    }

    public function testGuzzleStartsRequestsWhoseBanIsOverWhenAnotherOneEnds(): void
    {
        $client = self::guzzle($limits = new RemoteLimit('api', Limit::fixedWindow(9, 10)), self::later($delays));
        $limits->stop('api.example', 0.001);
        $waiting = $client->getAsync('https://api.example');
        $other = $client->getAsync('https://other.example');
        Clock::advance(0.001);
        usleep(1000);
        $other->wait();
        self::assertSame([0, 0], $delays, 'The other one, and the one that waited');
        self::assertSame(200, $waiting->wait()->getStatusCode());
    }

    public function testAWaitingRequestIsForgottenWhenItIsCanceled(): void
    {
        $limits = new RemoteLimit('api', Limit::fixedWindow(9, 10));
        $limits->stop('api.example', 5);
        $promise = self::guzzle($limits, self::later($delays))->getAsync('https://api.example');
        $promise->cancel();
        $response = (new SymfonyClient(new MockHttpClient(), $limits))->request('GET', 'https://api.example');
        $response->cancel();
        self::assertTrue($response->getInfo('canceled'));
        Utils::settle([$promise])->wait();
        self::assertSame([null, false], [$delays, $limits->limiter->peek('api.example')->accepted]);
    }

    public function testSymfonyTimesOutWhileAResponseWaits(): void
    {
        Clock::unfreeze();
        $limits = new RemoteLimit('api', Limit::fixedWindow(9, 10));
        $limits->stop('api.example', 1);
        $client = new SymfonyClient(new MockHttpClient(), $limits);
        $responses = [$client->request('GET', 'https://api.example'), $client->request('GET', 'https://other.example')];
        $ends = [];
        foreach ([0.0, null] as $timeout) {
            foreach ($client->stream($responses, $timeout) as $response => $chunk) {
                if ($chunk->isTimeout() || $chunk->isLast()) {
                    $ends[] = [array_search($response, $responses, true), $chunk->isTimeout()];
                }
            }
        }
        self::assertSame([[1, false], [0, true], [1, false], [0, false]], $ends);
    }

    public function testABodyThatCannotBeReadAgainIsSentOnce(): void
    {
        $remote = new Remote();
        $limits = new RemoteLimit('api', Limit::fixedWindow(9, 1), maxWait: 60);
        $body = static fn (): NoSeekStream => new NoSeekStream(Psr7Utils::streamFor('body'));
        self::assertSame(429, self::guzzle($limits)->post("$remote->url/fail/9/429", ['body' => $body()])->getStatusCode());
        self::assertSame(429, (new Psr18Client(new Client(), $limits))->sendRequest(new Request('POST', "$remote->url/fail/9/429", [], $body()))->getStatusCode());
        self::assertSame(429, (new SymfonyClient(HttpClient::create(), $limits))->request('POST', "$remote->url/fail/9/429", ['body' => (static fn () => yield 'body')()])->getStatusCode());
        self::assertSame(3, $remote->state()['failed']);
    }

    public function testSymfonyCountsARelativeUrlForItsBase(): void
    {
        $limits = new RemoteLimit('api', Limit::fixedWindow(10, 10));
        $client = (new SymfonyClient(new MockHttpClient(), $limits))->withOptions(['base_uri' => 'https://api.example']);
        $client->request('GET', '/v1')->getStatusCode();
        $client->request('GET', '/v1', ['base_uri' => 'https://other.example'])->getStatusCode();
        foreach (['api.example', 'other.example'] as $host) {
            self::assertSame(9, $limits->limiter->peek($host, 0)->remaining);
        }
    }

    /** Eight processes, and a network that delays each call by 0 to 50 ms. storm.php has the whole one. */
    #[TestWith(['psr18', 'log', 'none'])]
    #[TestWith(['guzzle', 'clock', 'ietf'])]
    #[TestWith(['symfony', 'clock', 'legacy'])]
    public function testProcessesThatAskTogetherAreAllAnsweredAndHardlyRefused(string $client, string $kind, string $headers): void
    {
        exec(implode(' ', array_map('escapeshellarg', [\PHP_BINARY, __DIR__.'/storm.php', $client, '240', '80', '1000', $kind, $headers])), $lines);
        $storm = json_decode($lines[0], true);
        self::assertSame([['200' => 240], 240], [$storm['statuses'], $storm['admitted']]);
        self::assertLessThan(24, $storm['refused']);
    }

    private static function guzzle(RemoteLimit $limits, ?callable $handler = null): Client
    {
        $stack = HandlerStack::create($handler);
        $stack->push(new GuzzleMiddleware($limits));

        return new Client(['handler' => $stack, 'http_errors' => false]);
    }

    /**
     * Makes a handler whose answers come when somebody waits for them.
     *
     * @param list<int|float>|null $delays of the requests
     * @param int|null             $most   answers at once that were open
     */
    private static function later(?array &$delays, ?int &$most = 0): \Closure
    {
        $open = 0;

        return static function (RequestInterface $request, array $options) use (&$delays, &$most, &$open): Promise {
            $delays[] = $options['delay'] ?? 0;
            $most = max((int) $most, ++$open);
            $promise = new Promise(static function () use (&$promise, &$open): void {
                --$open;
                $promise->resolve(new Response());
            });

            return $promise;
        };
    }

    /** @return array{int, string} */
    private static function answer(ResponseInterface $response): array
    {
        return [$response->getStatusCode(), (string) $response->getBody()];
    }
}
