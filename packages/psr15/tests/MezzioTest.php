<?php

declare(strict_types=1);

namespace Ratelimit\Psr15\Tests;

use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use Laminas\HttpHandlerRunner\RequestHandlerRunnerInterface;
use Laminas\Stratigility\MiddlewarePipe;
use Mezzio\Application;
use Mezzio\MiddlewareContainer;
use Mezzio\MiddlewareFactory;
use Mezzio\Router\RouteCollectorInterface;
use Nyholm\Psr7\Factory\Psr17Factory;
use Nyholm\Psr7\ServerRequest;
use Psr\Container\ContainerInterface;
use Ratelimit\Psr15\RateLimitMiddleware;

/** A Mezzio application with its pipeline, where mezzio/mezzio is installed. RATELIMIT_TEST_AUTOLOAD: see bootstrap.php. */
final class MezzioTest extends TestCase
{
    public function testAnApplicationIsLimited(): void
    {
        if (!class_exists(Application::class)) {
            self::markTestSkipped('mezzio/mezzio is not installed.');
        }
        $factory = new MiddlewareFactory(new MiddlewareContainer($this->createStub(ContainerInterface::class)));
        $app = new Application($factory, new MiddlewarePipe(), $this->createStub(RouteCollectorInterface::class), $this->createStub(RequestHandlerRunnerInterface::class));
        $app->pipe('/api', new RateLimitMiddleware(new Limiter('api', ['api' => Limit::slidingLog(1, 60)]), new Psr17Factory()));
        $app->pipe(new Handler());
        $ask = static function (string $path) use ($app): array {
            $answer = $app->handle(new ServerRequest('GET', $path, serverParams: ['REMOTE_ADDR' => '192.0.2.1']));

            return [$answer->getStatusCode(), $answer->getHeaderLine('RateLimit')];
        };
        self::assertSame([200, '"api";r=0;t=60'], $ask('/api/list'));
        self::assertSame([429, '"api";r=0;t=60'], $ask('/api/list'));
        self::assertSame([200, ''], $ask('/other'));
    }
}
