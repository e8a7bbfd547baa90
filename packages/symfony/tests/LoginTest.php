<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\Tests;

use FrequencyLimit\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use Ratelimit\Symfony\LimiterFactory;
use Ratelimit\Symfony\LoginRateLimiter;
use Ratelimit\Symfony\StrictLoginRateLimiter;
use Ratelimit\Symfony\Tests\App\AppKernel;
use Symfony\Component\DependencyInjection\Alias;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Reference;
use Symfony\Component\HttpFoundation\RateLimiter\RequestRateLimiterInterface;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\Security\Core\Exception\TooManyLoginAttemptsAuthenticationException;
use Symfony\Component\Security\Http\Authenticator\HttpBasicAuthenticator;
use Symfony\Component\Security\Http\Event\CheckPassportEvent;
use Symfony\Component\Security\Http\SecurityRequestAttributes;
use Ratelimit\Symfony\Tests\App\LoginFailures;

final class LoginTest extends TestCase
{
    /** @return iterable<string, array{string}> */
    public static function ways(): iterable
    {
        yield 'after' => ['after'];
        yield 'before' => ['before'];
    }

    #[DataProvider('ways')]
    public function testFailedLoginsOfAUserAtAnAddressAreLimited(string $way): void
    {
        $kernel = self::application($way);
        for ($i = 0; $i < 2; ++$i) {
            self::assertFalse(self::isLimited($kernel, 'ann', 'wrong'));
        }
        self::assertTrue(self::isLimited($kernel, 'ann', 'right'), 'The right password is refused, too.');
        self::assertFalse(self::isLimited($kernel, 'bob', 'wrong'), 'Another user at the address');
        self::assertFalse(self::isLimited($kernel, 'ann', 'wrong', '192.0.2.1'), 'The user at another address');
        Clock::advance(60);
        self::assertSame(200, self::login($kernel, 'ann', 'right')->getStatusCode());
    }

    #[DataProvider('ways')]
    public function testTheAddressIsLimitedAtFiveTimesAsMany(string $way): void
    {
        $kernel = self::application($way);
        for ($i = 0; $i < 10; ++$i) {
            self::assertFalse(self::isLimited($kernel, "guess$i", 'wrong'));
        }
        self::assertTrue(self::isLimited($kernel, 'guess10', 'wrong'));
    }

    #[DataProvider('ways')]
    public function testSuccessfulLoginsCountNothingAndForgetFailures(string $way): void
    {
        $kernel = self::application($way);
        for ($i = 0; $i < 30; ++$i) {
            self::assertSame(200, self::login($kernel, 'ann', 'right')->getStatusCode());
        }
        for ($i = 0; $i < 4; ++$i) {
            self::assertFalse(self::isLimited($kernel, 'ann', 'wrong'));
            self::assertSame(200, self::login($kernel, 'ann', 'right')->getStatusCode());
        }
    }

    #[DataProvider('ways')]
    public function testARefusalNamesTheMinutesOfTheInterval(string $way): void
    {
        $kernel = new AppKernel([], ['login' => $way], ['max_attempts' => 1, 'interval' => '15 minutes']);
        self::assertFalse(self::isLimited($kernel, 'ann', 'wrong'));
        foreach ([15, 15, 14] as $minutes) {
            self::assertTrue(self::isLimited($kernel, 'ann', 'wrong'));
            self::assertSame($minutes, $kernel->getContainer()->get(LoginFailures::class)->latest?->getMessageData()['%minutes%'] ?? null);
            Clock::advance(31);
        }
    }

    public function testTheLimiterOfTheConfigurationIsUsed(): void
    {
        $kernel = new AppKernel([], throttling: ['max_attempts' => 1], withBundle: false);
        self::assertFalse(self::isLimited($kernel, 'ann', 'wrong'));
        self::assertTrue(self::isLimited($kernel, 'ann', 'wrong'), 'Symfony alone');
        $kernel = new AppKernel([], ['except' => ['_login_local_main', '_login_global_main']], ['max_attempts' => 1]);
        self::assertFalse(self::isLimited($kernel, 'ann', 'wrong'));
        self::assertTrue(self::isLimited($kernel, 'ann', 'wrong'), 'Login limiters that stay with Symfony');
    }

    public function testAFailedLoginThatIsRefusedChargesNothing(): void
    {
        [$after, , $global] = self::limiters(1);
        $after->consume(self::request());
        for ($i = 0; $i < 3; ++$i) {
            self::assertFalse($after->consume(self::request())->isAccepted());
        }
        self::assertSame(4, $global->create(hash_hmac('sha256', '127.0.0.1', 'secret'))->consume(0)->getRemainingTokens());
    }

    public function testParallelGuessesTryAsManyPasswordsAsTheLimit(): void
    {
        [$after, $before] = self::limiters(5);
        $guess = static fn (RequestRateLimiterInterface $limiter, bool $looks): \Closure => static function () use ($limiter, $looks): int {
            $request = self::request();
            if ($looks) {
                $limit = $limiter->peek($request);
                $tried = $limit->getRemainingTokens() > 0;
            } else {
                $tried = $limiter->consume($request)->isAccepted();
            }
            usleep(300_000); // A password hash takes its time.
            if ($looks && $tried) {
                $limiter->consume($request);
            }

            return (int) $tried;
        };
        self::assertSame(5, Processes::count(20, $guess($before, false)));
        $before->reset(self::request());
        self::assertSame(20, Processes::count(20, $guess($after, true)), 'As with Symfony, all look before the first has failed.');
    }

    /** @return iterable<string, array{0: array<string, mixed>, 1: class-string, 2?: string}> */
    public static function firewalls(): iterable
    {
        $json = ['json_login' => ['check_path' => '/json']];
        yield 'form' => [['form_login' => null], StrictLoginRateLimiter::class];
        yield 'JSON' => [$json, StrictLoginRateLimiter::class];
        yield 'JSON without a session' => [['stateless' => true] + $json, LoginRateLimiter::class];
        yield 'JSON without a session, as configured' => [['stateless' => true] + $json, StrictLoginRateLimiter::class, 'before'];
        yield 'a login of the application' => [['custom_authenticators' => ['app.authenticator']], StrictLoginRateLimiter::class];
        yield 'a token of the application' => [['stateless' => true, 'custom_authenticators' => ['app.authenticator']], LoginRateLimiter::class];
        yield 'each request' => [AppKernel::EACH_REQUEST, LoginRateLimiter::class];
        yield 'each request, as configured' => [AppKernel::EACH_REQUEST, StrictLoginRateLimiter::class, 'before'];
        yield 'form, as configured' => [['form_login' => null], LoginRateLimiter::class, 'after'];
        yield 'each request, and a form' => [['form_login' => null, 'http_basic' => null, 'entry_point' => 'form_login'], LoginRateLimiter::class];
    }

    /** @param array<string, mixed> $firewall */
    #[DataProvider('firewalls')]
    public function testAFirewallOfLoginsCountsThemBeforeThePasswordIsChecked(array $firewall, string $class, ?string $way = null): void
    {
        $kernel = new AppKernel([], ['login' => $way], [], static function (ContainerBuilder $container): void {
            $container->register('app.authenticator', HttpBasicAuthenticator::class)->setArguments(['realm', new Reference('security.user.provider.concrete.users')]);
            $container->setAlias('login_limiter', new Alias('security.login_throttling.main.limiter', true));
        }, firewall: $firewall);
        $kernel->boot();
        self::assertInstanceOf($class, $kernel->getContainer()->get('login_limiter'));
    }

    /** @return iterable<string, array{array<string, mixed>, \Closure(AppKernel): mixed}> */
    public static function statefulLogins(): iterable
    {
        yield 'form' => [['form_login' => ['check_path' => '/login', 'login_path' => '/login']], static fn (AppKernel $kernel) => $kernel->ask('/login', method: 'POST', form: ['_username' => 'ann', '_password' => 'wrong'])];
        yield 'JSON' => [['json_login' => ['check_path' => '/json']], static fn (AppKernel $kernel) => self::jsonLogin($kernel, 'wrong')];
    }

    /** @param array<string, mixed> $firewall */
    #[DataProvider('statefulLogins')]
    public function testTenGuessesAtOnceOfALoginWithASessionTryAsManyPasswordsAsTheLimit(array $firewall, \Closure $guess): void
    {
        $kernel = self::slow($firewall);
        $tried = static function () use ($kernel, $guess): int {
            $guess($kernel);
            $failure = $kernel->getContainer()->get(LoginFailures::class)->latest;
            self::assertNotNull($failure);
            if (!$failure instanceof TooManyLoginAttemptsAuthenticationException) {
                return 1;
            }
            self::assertSame(1, $failure->getMessageData()['%minutes%']);

            return 0;
        };
        self::assertSame(5, Processes::count(10, $tried));
    }

    /** @return iterable<string, array{array<string, mixed>, \Closure(AppKernel): Response}> */
    public static function statelessLogins(): iterable
    {
        yield 'HTTP Basic' => [AppKernel::EACH_REQUEST, static fn (AppKernel $kernel): Response => self::login($kernel, 'ann', 'right')];
        yield 'JSON' => [['stateless' => true, 'json_login' => ['check_path' => '/json']], static fn (AppKernel $kernel): Response => self::jsonLogin($kernel, 'right')];
    }

    /** @param array<string, mixed> $firewall */
    #[DataProvider('statelessLogins')]
    public function testTenRequestsAtOnceOfAUserOfAStatelessFirewallPass(array $firewall, \Closure $login): void
    {
        $kernel = self::slow($firewall);
        self::assertSame(10, Processes::count(10, static fn (): int => (int) (200 === $login($kernel)->getStatusCode())));
    }

    /**
     * Returns an application that takes its time for a password.
     *
     * @param array<string, mixed> $firewall
     */
    private static function slow(array $firewall): AppKernel
    {
        $kernel = new AppKernel([], [], ['max_attempts' => 5], static function (ContainerBuilder $container): void {
            $container->register('slow', \Closure::class)->setSynthetic(true)->setPublic(true)
                ->addTag('kernel.event_listener', ['event' => CheckPassportEvent::class, 'method' => '__invoke', 'priority' => 100, 'dispatcher' => 'security.event_dispatcher.main']);
        }, firewall: $firewall);
        $kernel->boot();
        $kernel->getContainer()->set('slow', static fn () => usleep(300_000));

        return $kernel;
    }

    /** @return array{LoginRateLimiter, StrictLoginRateLimiter, LimiterFactory} */
    private static function limiters(int $attempts): array
    {
        $config = ['policy' => 'fixed_window', 'interval' => '1 minute'];
        $global = new LimiterFactory($config + ['id' => 'global', 'limit' => 5 * $attempts]);
        $local = new LimiterFactory($config + ['id' => 'local', 'limit' => $attempts]);

        return [new LoginRateLimiter($global, $local, 'secret'), new StrictLoginRateLimiter($global, $local, 'secret'), $global];
    }

    private static function request(): Request
    {
        $request = Request::create('/login');
        $request->attributes->set(SecurityRequestAttributes::LAST_USERNAME, 'ann');

        return $request;
    }

    private static function application(string $way): AppKernel
    {
        return new AppKernel([], ['login' => $way], ['max_attempts' => 2, 'interval' => '1 minute']);
    }

    private static function jsonLogin(AppKernel $kernel, string $password): Response
    {
        return $kernel->ask('/json', ['CONTENT_TYPE' => 'application/json'], 'POST', content: json_encode(['username' => 'ann', 'password' => $password], \JSON_THROW_ON_ERROR));
    }

    private static function login(AppKernel $kernel, string $user, string $password, string $address = '127.0.0.1'): Response
    {
        return $kernel->ask('/secret', ['PHP_AUTH_USER' => $user, 'PHP_AUTH_PW' => $password, 'REMOTE_ADDR' => $address]);
    }

    private static function isLimited(AppKernel $kernel, string $user, string $password, string $address = '127.0.0.1'): bool
    {
        $response = self::login($kernel, $user, $password, $address);
        if (!$kernel->getContainer()->get(LoginFailures::class)->latest instanceof TooManyLoginAttemptsAuthenticationException) {
            return false;
        }
        self::assertSame(401, $response->getStatusCode());

        return true;
    }
}
