<?php

declare(strict_types=1);

namespace Ratelimit\Psr15\Tests;

use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Ratelimit\Psr15\RateLimitMiddleware;
use Slim\Factory\AppFactory;
use Slim\Psr7\Factory\ServerRequestFactory;

/** A Slim 4 application with its routing and its error middleware. RATELIMIT_TEST_AUTOLOAD: see bootstrap.php. */
final class SlimTest extends TestCase
{
    public function testAnApplicationIsLimited(): void
    {
        if (!class_exists(AppFactory::class) || !class_exists(\FastRoute\RouteCollector::class)) {
            self::markTestSkipped('slim/slim or its nikic/fast-route is not installed.');
        }
        $app = AppFactory::create();
        $app->add(new RateLimitMiddleware(new Limiter('site', ['minute' => Limit::slidingLog(3, 60)]), $app->getResponseFactory()));
        $app->addErrorMiddleware(false, false, false);
        $app->get('/', static fn (ServerRequestInterface $request, ResponseInterface $response): ResponseInterface => $response);
        $app->get('/export', static fn (ServerRequestInterface $request, ResponseInterface $response): ResponseInterface => $response)
            ->add(new RateLimitMiddleware(new Limiter('export', ['export' => Limit::fixedWindow(1, 3600)]), $app->getResponseFactory()));
        $ask = static fn (string $path): ResponseInterface => $app->handle((new ServerRequestFactory())->createServerRequest('GET', $path, ['REMOTE_ADDR' => '192.0.2.1']));

        $answer = $ask('/');
        self::assertSame([200, '"minute";r=2;t=60'], [$answer->getStatusCode(), $answer->getHeaderLine('RateLimit')]);
        $answer = $ask('/export');
        self::assertSame([200, '"minute";r=1;t=60, "export";r=0;t=3600'], [$answer->getStatusCode(), $answer->getHeaderLine('RateLimit')]);
        $answer = $ask('/export');
        self::assertSame([429, '3600'], [$answer->getStatusCode(), $answer->getHeaderLine('Retry-After')]);
        $answer = $ask('/');
        self::assertSame([429, '60', 'application/problem+json'], [$answer->getStatusCode(), $answer->getHeaderLine('Retry-After'), $answer->getHeaderLine('Content-Type')]);
    }

    /** Slim runs last what was added first. */
    public function testAnErrorMiddlewareThatRunsInsideHasTheHeaders(): void
    {
        if (!class_exists(AppFactory::class) || !class_exists(\FastRoute\RouteCollector::class)) {
            self::markTestSkipped('slim/slim or its nikic/fast-route is not installed.');
        }
        foreach ([true, false] as $isInside) {
            $app = AppFactory::create();
            $isInside && $app->addErrorMiddleware(false, false, false);
            $app->add(new RateLimitMiddleware(new Limiter("site $isInside", ['minute' => Limit::slidingLog(3, 60)]), $app->getResponseFactory()));
            $isInside || $app->addErrorMiddleware(false, false, false);
            $answer = $app->handle((new ServerRequestFactory())->createServerRequest('GET', '/nothing', ['REMOTE_ADDR' => '192.0.2.1']));
            self::assertSame([404, $isInside], [$answer->getStatusCode(), $answer->hasHeader('RateLimit')]);
        }
    }
}
