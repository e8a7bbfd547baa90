<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\Tests;

use FrequencyLimit\Clock;
use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\RunInSeparateProcess;
use Ratelimit\Symfony\CompoundLimiterFactory;
use Ratelimit\Symfony\LimiterFactory;
use Ratelimit\Symfony\Tests\App\AppKernel;
use Ratelimit\Symfony\Tests\App\ConcreteController;
use Ratelimit\Symfony\Tests\App\ConcreteService;
use Symfony\Component\DependencyInjection\Alias;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Reference;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpKernel\EventListener\RateLimitAttributeListener;
use Symfony\Component\HttpKernel\HttpCache\HttpCache;
use Symfony\Component\HttpKernel\HttpCache\Store;
use Symfony\Component\RateLimiter\CompoundRateLimiterFactory;
use Symfony\Component\RateLimiter\RateLimiterFactory;

final class KernelTest extends TestCase
{
    private const API = ['api' => ['policy' => 'fixed_window', 'limit' => 2, 'interval' => '1 minute']];

    public function testTheConfigurationOfTheFrameworkIsServedUntouched(): void
    {
        $kernel = new AppKernel(self::API);
        self::assertSame([200, '1'], [($answer = $kernel->ask('/decision'))->getStatusCode(), $answer->headers->get('X-RateLimit-Remaining')]);
        self::assertSame([200, '0'], [($answer = $kernel->ask('/decision'))->getStatusCode(), $answer->headers->get('X-RateLimit-Remaining')]);
        $answer = $kernel->ask('/decision');
        self::assertSame(429, $answer->getStatusCode());
        self::assertEqualsWithDelta(60, (int) $answer->headers->get('Retry-After'), 1);
        self::assertSame(200, $kernel->ask('/decision', ['REMOTE_ADDR' => '192.0.2.1'])->getStatusCode());
        self::assertSame(200, (new AppKernel(self::API + ['of' => ['policy' => 'no_limit']]))->ask('/decision')->getStatusCode(), 'Another application has counts of its own.');
        Clock::advance(60);
        self::assertSame(200, $kernel->ask('/decision')->getStatusCode());
    }

    public function testARefusalIsAnsweredWithItsHeaders(): void
    {
        $kernel = new AppKernel(self::API);
        self::assertSame('"api";r=1;t=60', $kernel->ask('/ensured')->headers->get('RateLimit'));
        $kernel->ask('/ensured');
        $answer = $kernel->ask('/ensured');
        self::assertSame([429, '"api";q=2;w=60', '"api";r=0;t=60', '60'], [$answer->getStatusCode(), $answer->headers->get('RateLimit-Policy'), $answer->headers->get('RateLimit'), $answer->headers->get('Retry-After')]);
        $answer = $kernel->ask('/ensured', ['HTTP_ACCEPT' => 'application/json']);
        self::assertSame([429, 'application/problem+json', '60'], [$answer->getStatusCode(), $answer->headers->get('Content-Type'), $answer->headers->get('Retry-After')]);
        $problem = json_decode((string) $answer->getContent(), true);
        self::assertSame([429, 60, ['api']], [$problem['status'], $problem['retry_after'], $problem['violated-policies']]);
    }

    public function testARefusalOfALimiterOfSymfonyIsAnswered(): void
    {
        $kernel = new AppKernel(self::API, ['except' => ['api']]);
        self::assertSame([200, 200], [$kernel->ask('/ensured')->getStatusCode(), $kernel->ask('/ensured')->getStatusCode()]);
        $answer = $kernel->ask('/ensured');
        self::assertSame(429, $answer->getStatusCode());
        self::assertEqualsWithDelta(60, (int) $answer->headers->get('Retry-After'), 1);
    }

    public function testExceptionsOfTheExtensionAreAnswered(): void
    {
        $kernel = new AppKernel(self::API);
        self::assertSame(200, $kernel->ask('/thrown')->getStatusCode());
        $answer = $kernel->ask('/thrown');
        self::assertSame([429, '60'], [$answer->getStatusCode(), $answer->headers->get('Retry-After')]);
        self::assertSame(401, $kernel->ask('/login')->getStatusCode());
    }

    public function testTheAttributeOfANamedLimiterLimitsAControllerByItsArgument(): void
    {
        Limiter::define(new Limiter('search', [Limit::slidingLog(2, 60)->named('minute'), Limit::fixedWindow(9, 3600)->named('hour')]));
        $kernel = new AppKernel(self::API);
        foreach ([200, 200, 429] as $status) {
            self::assertSame($status, ($answer = $kernel->ask('/search/a'))->getStatusCode());
        }
        self::assertSame(['60', '"minute";q=2;w=60, "hour";q=9;w=3600'], [$answer->headers->get('Retry-After'), $answer->headers->get('RateLimit-Policy')]);
        self::assertSame(200, $kernel->ask('/search/b')->getStatusCode());
        self::assertSame(0, Limiter::named('search')->peek('a', 0)->remaining);
    }

    public function testTheAttributeOfAClassLimitsAProcessorOfAResource(): void
    {
        Limiter::define(new Limiter('books', Limit::slidingLog(2, 60)->named('minute')));
        $kernel = new AppKernel(self::API);
        $post = static fn (): Response => $kernel->ask('/books', ['HTTP_ACCEPT' => 'application/ld+json', 'CONTENT_TYPE' => 'application/ld+json'], 'POST', content: '{"title": "x"}');
        self::assertSame([201, 201], [$post()->getStatusCode(), $post()->getStatusCode()]);
        $answer = $post();
        self::assertSame([429, 'application/problem+json', '60'], [$answer->getStatusCode(), $answer->headers->get('Content-Type'), $answer->headers->get('Retry-After')]);
        self::assertSame(['minute'], json_decode((string) $answer->getContent(), true)['violated-policies']);
    }

    /** A loop as RoadRunner's and Swoole's: what an address or a user has used is no other one's. */
    #[RunInSeparateProcess]
    public function testEachRequestOfAServerOnTheCommandLineHasItsOwnClientAndUser(): void
    {
        Limiter::define(new Limiter('books', Limit::fixedWindow(1, 60)));
        Limiter::define(new Limiter('own', Limit::fixedWindow(1, 60)));
        $kernel = new AppKernel(self::API, throttling: [], isServer: true);
        $ask = static fn (string $address, string $path, ?string $user = null): int => $kernel->ask($path, ['REMOTE_ADDR' => $address] + (null === $user ? [] : ['PHP_AUTH_USER' => $user, 'PHP_AUTH_PW' => 'right']),
            '/books' === $path ? 'POST' : 'GET', content: '{}')->getStatusCode();
        self::assertSame([201, 201, 429], [$ask('192.0.2.1', '/books'), $ask('192.0.2.2', '/books'), $ask('192.0.2.1', '/books')], 'by address');
        self::assertSame([200, 200, 429, 401], [$ask('192.0.2.1', '/own', 'ann'), $ask('192.0.2.1', '/own', 'bob'), $ask('192.0.2.9', '/own', 'ann'), $ask('192.0.2.1', '/own')], 'by user');
        self::assertSame([0, 0], [Limiter::named('own')->peek('ann', 0)->remaining, Limiter::named('books')->peek('ip:192.0.2.2', 0)->remaining]);
        self::assertSame('nobody', @\FrequencyLimit\Request::clientAddress(), 'behind a request');
    }

    #[RunInSeparateProcess]
    public function testEachClientBehindAProxyThatSymfonyTrustsHasItsOwnCount(): void
    {
        Limiter::define(new Limiter('books', Limit::fixedWindow(1, 60)));
        $kernel = new AppKernel(self::API, isServer: true);
        $cache = new HttpCache($kernel, new Store($kernel->getProjectDir().'/http'));
        $cached = static function (string $address) use ($cache): int {
            $response = $cache->handle($request = Request::create('/books', 'POST', server: ['REMOTE_ADDR' => $address], content: '{}'));
            $cache->terminate($request, $response);

            return $response->getStatusCode();
        };
        self::assertSame([201, 201, 429], [$cached('192.0.2.1'), $cached('192.0.2.2'), $cached('192.0.2.1')], "Symfony's own cache");
        Request::setTrustedProxies(['10.0.0.1'], Request::HEADER_X_FORWARDED_FOR);
        $forwarded = static fn (string $proxy, string $address): int => $kernel->ask('/books', ['REMOTE_ADDR' => $proxy, 'HTTP_X_FORWARDED_FOR' => $address], 'POST', content: '{}')->getStatusCode();
        self::assertSame([201, 201, 429], [$forwarded('10.0.0.1', '192.0.2.3'), $forwarded('10.0.0.1', '192.0.2.4'), $forwarded('10.0.0.1', '192.0.2.3')], 'framework.trusted_proxies');
        self::assertSame([201, 429], [$forwarded('10.0.0.2', '192.0.2.5'), $forwarded('10.0.0.2', '192.0.2.6')], 'a peer that is not trusted');
        ini_set('ratelimit.trusted_proxies', '10.0.0.3');
        self::assertSame([201, 201, 429], [$forwarded('10.0.0.3', '192.0.2.5'), $forwarded('10.0.0.3', '192.0.2.6'), $forwarded('10.0.0.3', '192.0.2.5')], 'ratelimit.trusted_proxies');
    }

    public function testTheMappingCanBeSwitchedOff(): void
    {
        $kernel = new AppKernel(self::API, ['exceptions' => false]);
        $kernel->ask('/thrown');
        self::assertSame(500, $kernel->ask('/thrown')->getStatusCode());
    }

    public function testLimitersCanStayWithSymfony(): void
    {
        [$api, $other] = self::services(self::API + ['other' => self::API['api']], ['except' => ['api']], ['limiter.api', 'limiter.other']);
        self::assertInstanceOf(RateLimiterFactory::class, $api);
        self::assertInstanceOf(LimiterFactory::class, $other);
    }

    public function testTheNamespaceNamesTheLimiter(): void
    {
        self::assertSame('1', (new AppKernel(self::API, ['namespace' => 'shop']))->ask('/decision')->headers->get('X-RateLimit-Remaining'));
        self::assertTrue((new Limiter('api@shop', Limit::fixedWindow(2, 60)))->allow('127.0.0.1'));
        self::assertFalse((new Limiter('api@shop', Limit::fixedWindow(2, 60)))->allow('127.0.0.1'));
    }

    public function testCompoundLimitersAreServed(): void
    {
        if (!class_exists(CompoundRateLimiterFactory::class)) {
            self::markTestSkipped('Symfony has compound limiters from 7.3 on.');
        }
        $limiters = self::API + ['hour' => ['policy' => 'sliding_window', 'limit' => 1, 'interval' => '1 hour'], 'all' => ['policy' => 'compound', 'limiters' => ['api', 'hour']]];
        $ids = ['limiter.all', 'limiter.api'];
        [$all, $api] = self::services($limiters, ['except' => ['api']], $ids);
        self::assertInstanceOf(CompoundRateLimiterFactory::class, $all);
        self::assertInstanceOf(RateLimiterFactory::class, $api);
        foreach (['separate' => 1, 'together' => 2] as $compound => $left) {
            [$all, $api] = self::services($limiters, ['compound' => $compound, 'namespace' => $compound], $ids);
            self::assertInstanceOf(CompoundLimiterFactory::class, $all);
            self::assertTrue($all->create('key')->consume()->isAccepted());
            self::assertFalse($all->create('key')->consume()->isAccepted());
            self::assertSame($left, $api->create('key')->consume(0)->getRemainingTokens());
        }
    }

    public function testConfigurationBeyondTheBoundsFailsWhenTheContainerIsBuilt(): void
    {
        $this->expectException(\LogicException::class);
        $this->expectExceptionMessage('List "slow" under "ratelimit.except" to leave it to Symfony.');
        (new AppKernel(['slow' => ['policy' => 'token_bucket', 'limit' => 100000, 'rate' => ['interval' => '1 hour']]]))->boot();
    }

    /** @return iterable<string, array{array<string, mixed>, string}> */
    public static function mistakes(): iterable
    {
        yield 'an option of the store' => [['store' => 'redis://localhost?x=1'], 'cannot serve the rate limiter "api": '];
        yield 'a long namespace' => [['namespace' => str_repeat('n', 255)], 'cannot serve the rate limiter "api": '];
        yield 'an unknown limiter' => [['except' => ['apii']], '"ratelimit.except" names the rate limiter "apii", which does not exist.'];
    }

    /** @param array<string, mixed> $config */
    #[DataProvider('mistakes')]
    public function testAMistakeInTheConfigurationFailsWhenTheContainerIsBuilt(array $config, string $message): void
    {
        $this->expectException(\LogicException::class);
        $this->expectExceptionMessage($message);
        (new AppKernel(self::API, $config))->boot();
    }

    public function testTheFirstRequestChecksTheValuesOfEnvironmentVariables(): void
    {
        $_ENV['RATELIMIT_TEST_STORE'] = 'redis://localhost?x=1';
        $kernel = new AppKernel(self::API, ['store' => '%env(RATELIMIT_TEST_STORE)%']);
        self::assertSame(401, $kernel->ask('/login')->getStatusCode());
        self::assertSame(500, $kernel->ask('/decision')->getStatusCode());
        unset($_ENV['RATELIMIT_TEST_STORE']);
    }

    public function testAServiceWithTheFinalClassIsNamedWhenTheContainerIsBuilt(): void
    {
        $this->expectExceptionMessage('serves the rate limiter "api", but the argument $apiLimiter of '.ConcreteService::class.'::__construct()');
        (new AppKernel(self::API, services: static function (ContainerBuilder $container): void {
            $container->register(ConcreteService::class)->setPublic(true)->setArguments([new Reference('limiter.api')]);
        }))->boot();
    }

    public function testAnAutowiredServiceWithTheFinalClassIsNamedWhenTheContainerIsBuilt(): void
    {
        self::needsAutowiringByTheFinalClass();
        $this->expectExceptionMessage('serves the rate limiter "api", but the argument $apiLimiter of '.ConcreteService::class.'::__construct()');
        (new AppKernel(self::API, services: static function (ContainerBuilder $container): void {
            $container->register(ConcreteService::class)->setPublic(true)->setAutowired(true);
        }))->boot();
    }

    public function testAControllerWithTheFinalClassIsNamedWhenTheContainerIsBuilt(): void
    {
        self::needsAutowiringByTheFinalClass();
        $this->expectExceptionMessage('serves the rate limiter "api", but');
        $this->withController([])->boot();
    }

    public function testAControllerWithTheFinalClassKeepsALimiterOfSymfony(): void
    {
        self::needsAutowiringByTheFinalClass();
        self::assertSame('Symfony\Component\RateLimiter\RateLimit', $this->withController(['except' => ['api']])->ask('/concrete')->getContent());
    }

    #[RunInSeparateProcess]
    public function testTheFinalClassCanBeReplaced(): void
    {
        self::needsAutowiringByTheFinalClass();
        require \dirname(__DIR__).'/src/replace.php';
        self::assertSame('Ratelimit\Symfony\Decision', $this->withController([])->ask('/concrete')->getContent());
        $factory = new RateLimiterFactory(['id' => 'made', 'policy' => 'fixed_window', 'limit' => 1, 'interval' => '1 minute'], new \Symfony\Component\RateLimiter\Storage\InMemoryStorage());
        self::assertInstanceOf(LimiterFactory::class, $factory);
    }

    public function testSymfonysAttributeIsServed(): void
    {
        if (!class_exists(RateLimitAttributeListener::class)) {
            self::markTestSkipped('Symfony has #[RateLimit] from 8.1 on.');
        }
        $kernel = new AppKernel(self::API);
        $answers = array_map(static fn (): int => $kernel->ask('/attribute')->getStatusCode(), range(1, 3));
        self::assertSame([200, 200, 429], $answers);
        self::assertEqualsWithDelta(60, (int) $kernel->ask('/attribute')->headers->get('Retry-After'), 1);
        self::assertFalse((new Limiter($this->nameOf($kernel), Limit::fixedWindow(2, 60)))->allow('127.0.0.1~/attribute'));
    }

    private static function needsAutowiringByTheFinalClass(): void
    {
        if (AppKernel::VERSION_ID >= 80000) {
            self::markTestSkipped('Symfony 8 does not autowire the final class.');
        }
    }

    private function nameOf(AppKernel $kernel): string
    {
        return 'api@'.substr(hash('sha256', '_'.$kernel->getProjectDir().'.'.$kernel->getContainer()->getParameter('kernel.container_class')), 0, 8);
    }

    private function withController(array $config): AppKernel
    {
        return new AppKernel(self::API, $config, services: static function (ContainerBuilder $container): void {
            $container->register(ConcreteController::class)->setAutowired(true)->setPublic(true)->addTag('controller.service_arguments');
        });
    }

    /**
     * Returns the services of an application.
     *
     * @param array<string, mixed> $limiters
     * @param array<string, mixed> $config
     * @param list<string>         $ids
     * @return list<object>
     */
    private static function services(array $limiters, array $config, array $ids): array
    {
        $kernel = new AppKernel($limiters, $config, services: static function (ContainerBuilder $container) use ($ids): void {
            foreach ($ids as $id) {
                $container->setAlias('public.'.$id, new Alias($id, true));
            }
        });
        $kernel->boot();

        return array_map(static fn (string $id): object => $kernel->getContainer()->get('public.'.$id), $ids);
    }
}
