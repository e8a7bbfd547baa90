<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\Tests;

use FrequencyLimit\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use Ratelimit\Symfony\LimiterFactory;
use Ratelimit\Symfony\LoginRateLimiter;
use Ratelimit\Symfony\StrictLoginRateLimiter;
use Ratelimit\Symfony\Tests\App\AppKernel;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\ErrorHandler\BufferingLogger;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\Security\Http\Event\CheckPassportEvent;
use Symfony\Component\Security\Http\SecurityRequestAttributes;

/** Redis ends between the look of a login at its limits and its success. */
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

    /** @return iterable<string, array{string}> */
    public static function ways(): iterable
    {
        yield 'after' => ['after'];
        yield 'before' => ['before'];
    }

    #[DataProvider('ways')]
    public function testARightPasswordLogsIn(string $way): void
    {
        $kernel = new AppKernel([], ['login' => $way, 'store' => $this->redis->dsn], ['max_attempts' => 2], static function (ContainerBuilder $container): void {
            $container->register('logger', BufferingLogger::class)->setPublic(true);
            // After the listener of the throttling, before the check of the password.
            $container->register('outage', \Closure::class)->setSynthetic(true)->setPublic(true)
                ->addTag('kernel.event_listener', ['event' => CheckPassportEvent::class, 'method' => '__invoke', 'priority' => 2000, 'dispatcher' => 'security.event_dispatcher.main']);
        });
        $kernel->boot();
        $outage = false;
        $kernel->getContainer()->set('outage', function () use (&$outage): void {
            if ($outage) {
                $this->redis->stop();
            }
        });
        $login = static fn (string $password): int => $kernel->ask('/secret', ['PHP_AUTH_USER' => 'ann', 'PHP_AUTH_PW' => $password])->getStatusCode();

        self::assertSame(401, $login('wrong'), 'Symfony resets nothing where nothing is counted.');
        $outage = true;
        self::assertSame(200, $login('right'));
        self::assertSame(['The rate limiter still counts what a successful login clears'], self::errors($kernel->getContainer()->get('logger')));
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
            for ($i = 0; $i < 2; ++$i) {
                self::assertTrue($limiter->consume(self::request())->isAccepted());
            }
            self::assertFalse($limiter->consume(self::request())->isAccepted());
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
