<?php

declare(strict_types=1);

namespace Ratelimit\Psr15\Tests;

use FrequencyLimit\Clock;
use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use FrequencyLimit\Reason;
use FrequencyLimit\Result;
use Nyholm\Psr7\Factory\Psr17Factory;
use Nyholm\Psr7\Response;
use Nyholm\Psr7\ServerRequest;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Ratelimit\Psr15\RateLimitMiddleware;

final class RateLimitMiddlewareTest extends TestCase
{
    public function testEachAnswerHasHeadersAndARefusalHasProblemDetails(): void
    {
        $middleware = self::middleware(Limit::slidingLog(2, 60)->named('minute'));
        foreach (['"minute";r=1;t=60', '"minute";r=0;t=60'] as $state) {
            $answer = self::ask($middleware);
            self::assertSame([200, '"minute";q=2;w=60', $state], [$answer->getStatusCode(), $answer->getHeaderLine('RateLimit-Policy'), $answer->getHeaderLine('RateLimit')]);
            self::assertFalse($answer->hasHeader('Retry-After'));
            self::assertSame('reached', (string) $answer->getBody());
        }
        $answer = self::ask($middleware);
        self::assertSame([429, '60', 'application/problem+json'], [$answer->getStatusCode(), $answer->getHeaderLine('Retry-After'), $answer->getHeaderLine('Content-Type')]);
        self::assertSame([
            'type' => 'https://iana.org/assignments/http-problem-types#quota-exceeded',
            'title' => 'Request cannot be satisfied as assigned quota has been exceeded',
            'status' => 429,
            'detail' => 'The limit is 2 in 60 seconds. Try again in 60 seconds.',
            'retry_after' => 60,
            'violated-policies' => ['minute'],
        ], json_decode((string) $answer->getBody(), true));
        Clock::advance(60);
        self::assertSame(200, self::ask($middleware)->getStatusCode());
    }

    public function testTheIdentityIsTheClientsAddress(): void
    {
        $middleware = self::middleware(Limit::fixedWindow(1, 60));
        self::assertSame(200, self::ask($middleware, address: '192.0.2.1')->getStatusCode());
        self::assertSame(429, self::ask($middleware, address: '192.0.2.1')->getStatusCode());
        self::assertSame(429, self::ask($middleware, address: '192.0.2.1', headers: ['X-Forwarded-For' => '192.0.2.9'])->getStatusCode(), 'A client cannot choose its address.');
        self::assertSame(200, self::ask($middleware, address: '192.0.2.2')->getStatusCode());
        self::assertSame(200, self::ask($middleware, address: '2001:db8::1')->getStatusCode());
        self::assertSame(429, self::ask($middleware, address: '2001:db8::2')->getStatusCode(), 'One network of IPv6');
    }

    public function testACallableResolvesTheIdentity(): void
    {
        $middleware = new RateLimitMiddleware(new Limiter('api', Limit::fixedWindow(1, 60)), new Psr17Factory(), static fn (ServerRequestInterface $request) => $request->getQueryParams()['key'] ?? null);
        self::assertSame([200, 429, 200], array_map(static fn (string $key): int => self::ask($middleware, query: ['key' => $key])->getStatusCode(), ['a', 'a', 'b']));
        for ($i = 0; $i < 3; ++$i) {
            $answer = self::ask($middleware);
            self::assertSame([200, false], [$answer->getStatusCode(), $answer->hasHeader('RateLimit')], 'null: no limit');
        }
    }

    public function testARequestHasACost(): void
    {
        $limiter = new Limiter('api', Limit::fixedWindow(10, 60));
        self::assertSame('"default";r=7;t=60', self::ask(new RateLimitMiddleware($limiter, new Psr17Factory(), cost: 3))->getHeaderLine('RateLimit'));
        $middleware = new RateLimitMiddleware($limiter, new Psr17Factory(), cost: static fn (ServerRequestInterface $request): int => 'POST' === $request->getMethod() ? 5 : 1);
        self::assertSame('"default";r=6;t=60', self::ask($middleware)->getHeaderLine('RateLimit'));
        self::assertSame('"default";r=1;t=60', self::ask($middleware, method: 'POST')->getHeaderLine('RateLimit'));
        self::assertSame(429, self::ask($middleware, method: 'POST')->getStatusCode());
    }

    public function testLimitsHaveIdentitiesAndCostsOfTheirOwn(): void
    {
        $limits = ['requests' => Limit::fixedWindow(9, 60)->by('tenant'), 'tokens' => Limit::fixedWindow(100, 3600)->by('tenant'), 'user' => Limit::fixedWindow(1, 60)->by('user')];
        $middleware = new RateLimitMiddleware(new Limiter('api', $limits), new Psr17Factory(),
            static fn (ServerRequestInterface $request): array => ['tenant' => 'acme', 'user' => $request->getQueryParams()['user']],
            static fn (ServerRequestInterface $request): array => ['requests' => 1, 'tokens' => 40, 'user' => 1]);
        self::assertSame('"requests";r=8;t=60, "tokens";r=60;t=3600, "user";r=0;t=60', self::ask($middleware, query: ['user' => '1'])->getHeaderLine('RateLimit'));
        $problems = array_map(static fn (string $user): array => json_decode((string) self::ask($middleware, query: ['user' => $user])->getBody(), true)['violated-policies'] ?? [], ['1', '2', '3']);
        self::assertSame([['user'], [], ['tokens']], $problems);
    }

    public function testLegacyHeadersAreSentOnDemand(): void
    {
        $limiter = new Limiter('api', Limit::fixedWindow(10, 60));
        self::assertFalse(self::ask(new RateLimitMiddleware($limiter, new Psr17Factory()))->hasHeader('X-RateLimit-Limit'));
        $answer = self::ask(new RateLimitMiddleware($limiter, new Psr17Factory(), legacy: true));
        self::assertSame(['10', '8'], [$answer->getHeaderLine('X-RateLimit-Limit'), $answer->getHeaderLine('X-RateLimit-Remaining')]);
    }

    public function testTwoMiddlewaresAddToTheLists(): void
    {
        $user = self::middleware(Limit::fixedWindow(5, 60)->named('user'));
        $site = self::middleware(Limit::fixedWindow(50, 60)->named('site'), 'site');
        $answer = self::ask($site, static fn (ServerRequestInterface $request): ResponseInterface => $user->process($request, new Handler()));
        self::assertSame(['"site";q=50;w=60, "user";q=5;w=60', '"site";r=49;t=60, "user";r=4;t=60'], [$answer->getHeaderLine('RateLimit-Policy'), $answer->getHeaderLine('RateLimit')]);
    }

    public function testARefusalInsideHasNoLegacyHeadersOfTheOuterLimit(): void
    {
        $inner = self::middleware(Limit::fixedWindow(1, 60)->named('inner'), 'inner');
        $outer = new RateLimitMiddleware(new Limiter('outer', Limit::fixedWindow(100, 60)->named('outer')), new Psr17Factory(), legacy: true);
        $handler = static fn (ServerRequestInterface $request): ResponseInterface => $inner->process($request, new Handler());
        self::assertSame('99', self::ask($outer, $handler)->getHeaderLine('X-RateLimit-Remaining'));
        $answer = self::ask($outer, $handler);
        self::assertSame([429, false], [$answer->getStatusCode(), $answer->hasHeader('X-RateLimit-Remaining')]);
    }

    public function testTheHandlerGetsTheResult(): void
    {
        $seen = null;
        self::ask(self::middleware(Limit::fixedWindow(5, 60)), static function (ServerRequestInterface $request) use (&$seen): ResponseInterface {
            $seen = $request->getAttribute(RateLimitMiddleware::ATTRIBUTE);

            return new Response();
        });
        self::assertInstanceOf(Result::class, $seen);
        self::assertSame(4, $seen->remaining);
    }

    public function testTheHandlerSettlesTheTrueCostOrCancels(): void
    {
        $limiter = new Limiter('true', Limit::fixedWindow(100, 60));
        $middleware = new RateLimitMiddleware($limiter, new Psr17Factory(), static fn (): string => 'me', 50);
        $charge = static fn (string $method, int ...$cost) => self::ask($middleware, static function (ServerRequestInterface $request) use ($method, $cost): ResponseInterface {
            $request->getAttribute(RateLimitMiddleware::PERMIT)->$method(...$cost);

            return new Response();
        });
        $charge('settle', 20);
        self::assertSame(80, $limiter->peek('me', 0)->remaining);
        $charge('cancel');
        self::assertSame(80, $limiter->peek('me', 0)->remaining);
    }

    public function testALimitExceededOfTheHandlerIsAnswered(): void
    {
        $inner = new Limiter('inner', Limit::fixedWindow(1, 60)->named('inner'));
        $handler = static fn (ServerRequestInterface $request): ResponseInterface => new Response(200, $inner->consume(1)->ensureAccepted()->headers());
        $middleware = self::middleware(Limit::fixedWindow(5, 60)->named('outer'));
        self::assertSame(200, self::ask($middleware, $handler)->getStatusCode());
        $answer = self::ask($middleware, $handler);
        self::assertSame([429, '"outer";r=3;t=60, "inner";r=0;t=60', '60'], [$answer->getStatusCode(), $answer->getHeaderLine('RateLimit'), $answer->getHeaderLine('Retry-After')]);
    }

    public function testAConcurrentLimitHoldsAPlaceWhileTheHandlerRuns(): void
    {
        $middleware = self::middleware(Limit::concurrent(1, 60));
        $nested = null;
        $answer = self::ask($middleware, static function () use ($middleware, &$nested): ResponseInterface {
            $nested = self::ask($middleware)->getStatusCode();

            return new Response();
        });
        self::assertSame([200, 429, 200], [$answer->getStatusCode(), $nested, self::ask($middleware)->getStatusCode()]);
        try {
            self::ask($middleware, static fn (): ResponseInterface => throw new \DomainException());
        } catch (\DomainException) {
        }
        self::assertSame(200, self::ask($middleware)->getStatusCode(), 'An exception frees the place.');
    }

    public function testAStoreThatRefusesIs503(): void
    {
        $limiter = $this->createStub(\FrequencyLimit\LimiterInterface::class);
        $limiter->method('acquire')->willReturn(\FrequencyLimit\Permit::of(Result::of(Reason::StoreUnavailable)));
        self::assertSame(503, self::ask(new RateLimitMiddleware($limiter, new Psr17Factory()))->getStatusCode());
    }

    private static function middleware(Limit $limit, string $name = 'api'): RateLimitMiddleware
    {
        return new RateLimitMiddleware(new Limiter($name, $limit), new Psr17Factory());
    }

    /** @param array<string, string> $headers */
    private static function ask(RateLimitMiddleware $middleware, ?\Closure $handler = null, string $address = '192.0.2.1', array $headers = [], array $query = [], string $method = 'GET'): ResponseInterface
    {
        $request = (new ServerRequest($method, 'https://example.org/path', $headers, serverParams: ['REMOTE_ADDR' => $address]))->withQueryParams($query);

        return $middleware->process($request, new Handler($handler));
    }
}
