<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\Tests;

use FrequencyLimit\Clock;
use FrequencyLimit\Monitor;
use PHPUnit\Framework\Attributes\DataProvider;
use Ratelimit\Symfony\CompoundLimiter;
use Ratelimit\Symfony\LimiterFactory;
use Ratelimit\Symfony\LoginRateLimiter;
use Ratelimit\Symfony\StrictLoginRateLimiter;
use Ratelimit\Symfony\Tests\App\AppKernel;
use Symfony\Bundle\FrameworkBundle\Console\Application;
use Symfony\Component\Console\Tester\ApplicationTester;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\ErrorHandler\BufferingLogger;
use Symfony\Component\EventDispatcher\EventDispatcher;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\Messenger\Envelope;
use Symfony\Component\Messenger\EventListener\StopWorkerOnMessageLimitListener;
use Symfony\Component\Messenger\Handler\HandlersLocator;
use Symfony\Component\Messenger\MessageBus;
use Symfony\Component\Messenger\Middleware\HandleMessageMiddleware;
use Symfony\Component\Messenger\Transport\InMemory\InMemoryTransport;
use Symfony\Component\Messenger\Worker;
use Symfony\Component\Security\Http\Event\CheckPassportEvent;
use Symfony\Component\Security\Http\SecurityRequestAttributes;

/** Redis ends at each point of a login, of a limited route, of a message and of a command. */
final class OutageTest extends TestCase
{
    private RedisServer $redis;

    protected function setUp(): void
    {
        parent::setUp();
        // Redis has a clock of its own.
        Clock::unfreeze();
        $this->redis = new RedisServer();
    }

    protected function tearDown(): void
    {
        ini_restore('ratelimit.on_failure');
        parent::tearDown();
    }

    /** @return iterable<string, array{string, array<string, mixed>, string}> */
    public static function logins(): iterable
    {
        foreach (['local', 'allow', 'deny', 'throw'] as $policy) {
            yield "after, $policy" => ['after', AppKernel::EACH_REQUEST, $policy];
            yield "before, $policy" => ['before', ['json_login' => ['check_path' => '/json']], $policy];
        }
    }

    /** @param array<string, mixed> $firewall */
    #[DataProvider('logins')]
    public function testARightPasswordLogsInWhereRedisEndsWhileItIsChecked(string $way, array $firewall, string $policy): void
    {
        ini_set('ratelimit.on_failure', $policy);
        [$kernel, $login] = $this->application($way, $firewall, 2000);
        self::assertSame(401, $login('wrong'), 'Symfony resets nothing where nothing is counted.');
        self::assertSame(200, $login('right'));
        self::assertSame(['The rate limiter still counts what a successful login clears'], self::errors($kernel->getContainer()->get('logger')));
    }

    /** @param array<string, mixed> $firewall */
    #[DataProvider('logins')]
    public function testAnAwayRedisDecidesALoginByThePolicy(string $way, array $firewall, string $policy): void
    {
        ini_set('ratelimit.on_failure', $policy);
        [$kernel, $login] = $this->application($way, $firewall, 3000);
        $passes = \in_array($policy, ['local', 'allow'], true);
        self::assertSame(401, $login('wrong'));
        self::assertSame($passes ? 200 : ('deny' === $policy ? 401 : 500), $login('right'));
        self::assertSame('throw' === $policy ? 500 : 401, $login('wrong'));
        if ('local' === $policy) {
            self::assertSame([401, 401, 401], [$login('wrong'), $login('wrong'), $login('right')], 'The fallback has the same limit.');
        }
        $kernel->getContainer()->get('logger')->cleanLogs();
    }

    /**
     * Returns an application whose Redis ends in its second login, and a function that logs in.
     *
     * @param array<string, mixed> $firewall
     * @param int                  $priority when: 3000 is before the throttling looks, 2000 between it and the password
     * @return array{AppKernel, \Closure(string): int}
     */
    private function application(string $way, array $firewall, int $priority): array
    {
        $kernel = new AppKernel([], ['login' => $way, 'store' => $this->redis->dsn], ['max_attempts' => 2], static function (ContainerBuilder $container) use ($priority): void {
            $container->register('logger', BufferingLogger::class)->setPublic(true);
            $container->register('outage', \Closure::class)->setSynthetic(true)->setPublic(true)
                ->addTag('kernel.event_listener', ['event' => CheckPassportEvent::class, 'method' => '__invoke', 'priority' => $priority, 'dispatcher' => 'security.event_dispatcher.main']);
        }, firewall: $firewall);
        $kernel->boot();
        $logins = 0;
        $kernel->getContainer()->set('outage', function () use (&$logins): void {
            if (++$logins > 1) {
                $this->redis->stop();
            }
        });

        return [$kernel, static fn (string $password): int => (isset($firewall['json_login'])
            ? $kernel->ask('/json', ['CONTENT_TYPE' => 'application/json'], 'POST', content: '{"username": "ann", "password": "'.$password.'"}')
            : $kernel->ask('/secret', ['PHP_AUTH_USER' => 'ann', 'PHP_AUTH_PW' => $password]))->getStatusCode()];
    }

    public function testALimitedRouteKeepsItsAnswerWhereRedisEndsAfterTheDecision(): void
    {
        foreach (['local', 'allow', 'deny', 'throw'] as $policy) {
            ini_set('ratelimit.on_failure', $policy);
            $redis = new RedisServer();
            $kernel = new AppKernel(['api' => ['policy' => 'fixed_window', 'limit' => 2, 'interval' => '1 minute']], ['store' => $redis->dsn]);
            Monitor::listen(static fn () => $redis->stop());
            self::assertSame(200, $kernel->ask('/ensured')->getStatusCode(), $policy);
            self::assertSame(['local' => 200, 'allow' => 200, 'deny' => 503, 'throw' => 500][$policy], $kernel->ask('/ensured')->getStatusCode(), $policy);
        }
    }

    public function testARefusalByTheSecondOfTwoLimitsStaysOneWhereTheFirstCannotGiveBack(): void
    {
        $file = tempnam(sys_get_temp_dir(), 'ratelimit');
        $config = ['policy' => 'fixed_window', 'interval' => '1 hour'];
        $second = new LimiterFactory($config + ['id' => 'second', 'limit' => 1]);
        $second->create('key')->consume();
        $compound = CompoundLimiter::of([(new LimiterFactory($config + ['id' => 'first', 'limit' => 9], store: $this->redis->dsn))->create('key'), $second->create('key')]);
        Monitor::listen(fn () => $this->redis->stop());
        $log = (string) ini_set('error_log', $file);
        try {
            self::assertFalse($compound->consume()->isAccepted());
        } finally {
            ini_set('error_log', $log);
        }
        self::assertStringContainsString('ratelimit: not given back after a refusal: ', (string) file_get_contents($file));
        unlink($file);
    }

    public function testAMessageThatWasHandledIsNotHandledAgain(): void
    {
        foreach (['local', 'allow', 'deny', 'throw'] as $policy) {
            ini_set('ratelimit.on_failure', $policy);
            $redis = new RedisServer();
            $limiter = new LimiterFactory(['id' => 'jobs', 'policy' => 'fixed_window', 'interval' => '1 hour', 'limit' => 2], store: $redis->dsn);
            $transport = new InMemoryTransport();
            $transport->send(new Envelope(new \stdClass()));
            $bus = new MessageBus([new HandleMessageMiddleware(new HandlersLocator([\stdClass::class => [static fn () => $redis->stop()]]))]);
            $dispatcher = new EventDispatcher();
            $dispatcher->addSubscriber(new StopWorkerOnMessageLimitListener(1));
            (new Worker(['jobs' => $transport], $bus, $dispatcher, rateLimiters: ['jobs' => $limiter]))->run();
            self::assertSame([1, 0], [\count($transport->getAcknowledged()), \count($transport->getRejected())], $policy);
        }
    }

    public function testABanThatCannotBeWrittenIsAnErrorOfTheCommand(): void
    {
        $kernel = new AppKernel(['api' => ['policy' => 'fixed_window', 'limit' => 2, 'interval' => '1 minute']], ['store' => $this->redis->dsn]);
        $kernel->boot();
        $this->redis->stop();
        foreach (['local', 'allow', 'deny', 'throw'] as $policy) {
            ini_set('ratelimit.on_failure', $policy);
            foreach (['ratelimit:ban', 'ratelimit:unban'] as $command) {
                $application = new Application($kernel);
                $application->setAutoExit(false);
                $tester = new ApplicationTester($application);
                self::assertSame(1, $tester->run(['command' => $command, 'limiter' => 'api', 'keys' => ['127.0.0.1']]), $policy);
                self::assertStringContainsString('[ERROR] api, 127.0.0.1: ', $tester->getDisplay(true));
            }
        }
    }

    public function testAResetClearsTheCountOfTheFallbackAndIsLoggedOnce(): void
    {
        foreach ([LoginRateLimiter::class, StrictLoginRateLimiter::class] as $class) {
            $config = ['policy' => 'fixed_window', 'interval' => '1 hour'];
            $logger = new BufferingLogger();
            $redis = new RedisServer();
            $limiter = new $class(new LimiterFactory($config + ['id' => 'global', 'limit' => 10], store: $redis->dsn), new LimiterFactory($config + ['id' => 'local', 'limit' => 2], store: $redis->dsn), 'secret', $logger);
            self::assertTrue($limiter->consume(self::request())->isAccepted());
            $success = self::request();
            self::assertTrue($limiter->consume($success)->isAccepted());
            $redis->stop();
            self::assertFalse($limiter->consume(self::request())->isAccepted(), 'The fallback goes on where Redis stopped.');
            $limiter->reset($success);
            self::assertTrue($limiter->consume(self::request())->isAccepted(), 'The fallback has no failure any more.');
            self::assertSame(['The rate limiter still counts what a successful login clears'], self::errors($logger));
        }
    }

    public function testWithoutALoggerItIsInTheErrorLog(): void
    {
        $file = tempnam(sys_get_temp_dir(), 'ratelimit');
        $config = ['policy' => 'fixed_window', 'interval' => '1 hour', 'limit' => 2];
        $limiter = new LoginRateLimiter(new LimiterFactory($config + ['id' => 'global'], store: $this->redis->dsn), new LimiterFactory($config + ['id' => 'local'], store: $this->redis->dsn), 'secret');
        $limiter->consume(self::request());
        $this->redis->stop();
        $log = ini_set('error_log', $file);
        try {
            $limiter->reset(self::request());
        } finally {
            ini_set('error_log', (string) $log);
        }
        self::assertSame(1, substr_count((string) file_get_contents($file), 'The rate limiter still counts what a successful login clears'));
        unlink($file);
    }

    private static function request(): Request
    {
        $request = Request::create('/login');
        $request->attributes->set(SecurityRequestAttributes::LAST_USERNAME, 'ann');

        return $request;
    }

    /**
     * Returns the messages of the errors, up to their colons.
     *
     * @return list<string>
     */
    private static function errors(BufferingLogger $logger): array
    {
        $errors = array_filter($logger->cleanLogs(), static fn (array $log): bool => 'error' === $log[0]);

        return array_values(array_map(static fn (array $log): string => strstr($log[1], ':', true), $errors));
    }
}
