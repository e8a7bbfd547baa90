<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\Tests\App;

use Ratelimit\Symfony\RatelimitBundle;
use Symfony\Bundle\FrameworkBundle\FrameworkBundle;
use Symfony\Bundle\FrameworkBundle\Kernel\MicroKernelTrait;
use Symfony\Bundle\SecurityBundle\SecurityBundle;
use Symfony\Bundle\TwigBundle\TwigBundle;
use Symfony\Bundle\WebProfilerBundle\WebProfilerBundle;
use Symfony\Component\DependencyInjection\Compiler\ServiceLocatorTagPass;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Loader\Configurator\ContainerConfigurator;
use Symfony\Component\DependencyInjection\Reference;
use Symfony\Component\Filesystem\Filesystem;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpKernel\EventListener\RateLimitAttributeListener;
use Symfony\Component\HttpKernel\Kernel;
use Symfony\Component\Routing\Loader\Configurator\RoutingConfigurator;
use Symfony\Component\Security\Core\User\InMemoryUser;
use Symfony\Component\Security\Http\Event\LoginFailureEvent;

/** A small application. Those of the same configuration share a folder, and so a container. */
final class AppKernel extends Kernel
{
    use MicroKernelTrait;

    /** A firewall that checks the password with each request. */
    public const EACH_REQUEST = ['stateless' => true, 'http_basic' => null];

    private static ?string $folders = null;

    private readonly string $folder;

    /**
     * @param array<string, mixed>                    $limiters  framework.rate_limiter
     * @param array<string, mixed>                    $ratelimit the bundle's configuration
     * @param array<string, mixed>|null               $throttling login_throttling; null: no SecurityBundle
     * @param (\Closure(ContainerBuilder): void)|null $services
     * @param array<string, mixed>                    $firewall
     * @param bool                                    $isServer  as in production: no test of a framework
     */
    public function __construct(private readonly array $limiters, private readonly array $ratelimit = [], private readonly ?array $throttling = null, private readonly ?\Closure $services = null, private readonly bool $withBundle = true, private readonly array $firewall = self::EACH_REQUEST, private readonly bool $withProfiler = false, private readonly bool $isServer = false)
    {
        $name = null === $services ? hash('sha256', serialize([$limiters, $ratelimit, $throttling, $withBundle, $firewall, $withProfiler, $isServer])) : bin2hex(random_bytes(8));
        $this->folder = (self::$folders ??= self::makeFolders()).'/'.$name;
        parent::__construct('test', false);
    }

    public function __destruct()
    {
        restore_exception_handler();
    }

    private static function makeFolders(): string
    {
        if (\is_string($folders = getenv('RATELIMIT_TEST_FOLDER'))) {
            return $folders;
        }
        $folders = sys_get_temp_dir().'/ratelimit-symfony-'.bin2hex(random_bytes(6));
        $process = getmypid();
        register_shutdown_function(static fn () => getmypid() === $process && (new Filesystem())->remove($folders));

        return $folders;
    }

    public function registerBundles(): iterable
    {
        yield new FrameworkBundle();
        if (null !== $this->throttling) {
            yield new SecurityBundle();
        }
        if ($this->withProfiler) {
            yield new TwigBundle();
            yield new WebProfilerBundle();
        }
        if ($this->withBundle) {
            yield new RatelimitBundle();
        }
    }

    public function getProjectDir(): string
    {
        return $this->folder;
    }

    public function ask(string $path, array $server = [], string $method = 'GET', array $form = [], ?string $content = null): Response
    {
        $request = Request::create($path, $method, $form, server: $server, content: $content);
        $response = $this->handle($request);
        $this->terminate($request, $response);

        return $response;
    }

    private function configureContainer(ContainerConfigurator $container, mixed $loader, ContainerBuilder $builder): void
    {
        $container->extension('framework', [
            'secret' => 'test', 'test' => !$this->isServer, 'http_method_override' => false, 'handle_all_throwables' => true,
            'php_errors' => ['log' => true], 'session' => ['storage_factory_id' => 'session.storage.factory.mock_file'], 'profiler' => $this->withProfiler ? ['collect' => true] : false, 'lock' => self::VERSION_ID < 70300, 'rate_limiter' => $this->limiters + ['api' => ['policy' => 'no_limit']],
        ] + array_fill_keys(['validation', 'serializer', 'property_access', 'property_info', 'translator', 'http_client', 'mailer', 'messenger', 'form', 'assets', 'web_link', 'uid', 'html_sanitizer', 'notifier', 'webhook', 'remote_event', 'scheduler', ...(self::VERSION_ID >= 70300 ? ['type_info', 'json_streamer'] : [])], false));
        if ($this->withBundle) {
            $container->extension('ratelimit', $this->ratelimit);
        }
        if (null !== $this->throttling) {
            $builder->register(LoginFailures::class)->setPublic(true)->addTag('kernel.event_listener', ['event' => LoginFailureEvent::class, 'dispatcher' => 'security.event_dispatcher.main']);
            $container->extension('security', [
                'password_hashers' => [InMemoryUser::class => 'plaintext'],
                'providers' => ['users' => ['memory' => ['users' => ['ann' => ['password' => 'right', 'roles' => ['ROLE_USER']], 'bob' => ['password' => 'right', 'roles' => ['ROLE_USER']]]]]],
                'firewalls' => ['main' => $this->firewall + ['login_throttling' => $this->throttling]],
                'access_control' => [['path' => '^/secret', 'roles' => 'ROLE_USER']],
            ]);
        }
        $container->services()->set('logger', \Psr\Log\NullLogger::class);
        $builder->register(Controllers::class)->setAutowired(true)->setAutoconfigured(true)->setPublic(true)->addTag('controller.service_arguments');
        $builder->register(BookProcessor::class);
        $builder->register(ResourceController::class)->setArguments([ServiceLocatorTagPass::register($builder, [BookProcessor::class => new Reference(BookProcessor::class)])])->setPublic(true);
        if (class_exists(RateLimitAttributeListener::class)) {
            $builder->register(AttributeController::class)->setPublic(true)->addTag('controller.service_arguments');
        }
        if (null !== $this->services) {
            ($this->services)($builder);
        }
    }

    private function configureRoutes(RoutingConfigurator $routes): void
    {
        foreach (['decision', 'ensured', 'embedding', 'thrown', 'login', 'secret', 'own'] as $action) {
            $routes->add($action, '/'.$action)->controller([Controllers::class, $action]);
        }
        $routes->add('search', '/search/{tenant}')->controller([Controllers::class, 'search']);
        $routes->add('resource', '/books')->methods(['POST'])->defaults(['_api_processor' => BookProcessor::class])->controller(ResourceController::class);
        $routes->add('json', '/json')->methods(['POST'])->controller([Controllers::class, 'secret']);
        if ($this->withProfiler) {
            $routes->import('@WebProfilerBundle/Resources/config/routing/profiler.'.(self::VERSION_ID >= 70300 ? 'php' : 'xml'))->prefix('/_profiler');
        }
        $routes->add('attribute', '/attribute')->controller(AttributeController::class);
        $routes->add('concrete', '/concrete')->controller(ConcreteController::class);
    }
}
