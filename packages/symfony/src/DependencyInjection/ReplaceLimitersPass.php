<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\DependencyInjection;

use FrequencyLimit\InvalidArgument;
use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use Ratelimit\Symfony\Command\BanCommand;
use Ratelimit\Symfony\Command\TopCommand;
use Ratelimit\Symfony\Command\UnbanCommand;
use Ratelimit\Symfony\CompoundLimiterFactory;
use Ratelimit\Symfony\DataCollector\DecisionsCollector;
use Ratelimit\Symfony\EventListener\RequestListener;
use Ratelimit\Symfony\LimiterFactory;
use Ratelimit\Symfony\LoginRateLimiter;
use Ratelimit\Symfony\Policy;
use Ratelimit\Symfony\RatelimitBundle;
use Ratelimit\Symfony\StrictLoginRateLimiter;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\DependencyInjection\Argument\ServiceClosureArgument;
use Symfony\Component\DependencyInjection\ChildDefinition;
use Symfony\Component\DependencyInjection\Compiler\CompilerPassInterface;
use Symfony\Component\DependencyInjection\Compiler\ServiceLocatorTagPass;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\ContainerInterface;
use Symfony\Component\DependencyInjection\Definition;
use Symfony\Component\DependencyInjection\Exception\OutOfBoundsException;
use Symfony\Component\DependencyInjection\Reference;
use Symfony\Component\HttpKernel\KernelEvents;
use Symfony\Component\RateLimiter\CompoundRateLimiterFactory;
use Symfony\Component\Security\Http\RateLimiter\DefaultLoginRateLimiter;

/** Replaces the services that Symfony makes of framework.rate_limiter and login_throttling. Their ids, tags and aliases stay. */
final class ReplaceLimitersPass implements CompilerPassInterface
{
    private const ID_PREFIX = 'limiter.';

    /** The authenticators that check a password or a token with each request. */
    private const EACH_REQUEST = ['http_basic', 'http_basic_ldap', 'access_token', 'x509', 'remote_user'];

    /** The tag of the services that the check of concrete types looks for. */
    public const TAG = 'ratelimit.limiter';

    public function process(ContainerBuilder $container): void
    {
        /** @var array{store: ?string, namespace: ?string, except: list<string>, compound: string, login: ?string} $config */
        $config = $container->getParameter(RatelimitBundle::CONFIGURATION);
        $container->getParameterBag()->remove(RatelimitBundle::CONFIGURATION);
        self::addRequests($container);
        self::checkExceptions($container, $config['except']);
        if (self::needsClassOfSymfony()) {
            return;
        }
        $namespace = $config['namespace'] ?? self::defaultNamespace($container);

        $replaced = [];
        foreach ($container->getDefinitions() as $id => $definition) {
            $name = str_starts_with($id, self::ID_PREFIX) ? substr($id, \strlen(self::ID_PREFIX)) : '';
            if ('' !== $name && $definition instanceof ChildDefinition && 'limiter' === $definition->getParent() && !\in_array($name, $config['except'], true)) {
                $replaced[$id] = self::replaceLimiter($container, $id, $definition, $namespace, $config['store']);
            }
        }
        $names = array_map(static fn (string $id): string => substr($id, \strlen(self::ID_PREFIX)), array_keys($replaced));
        foreach ($container->getDefinitions() as $id => $definition) {
            if (CompoundRateLimiterFactory::class === $definition->getClass()) {
                $name = substr($id, \strlen(self::ID_PREFIX));
                if (!\in_array($name, $config['except'], true) && self::refersOnlyTo($definition->getArgument(0)->getValues(), $replaced)) {
                    $definition->setClass(CompoundLimiterFactory::class)
                        ->setArguments([$definition->getArgument(0), 'together' === $config['compound'] ? $name : null, $namespace, $config['store']])
                        ->addTag(self::TAG);
                    $names[] = $name;
                }
            }
            if (DefaultLoginRateLimiter::class === $definition->getClass() && self::refersOnlyTo(\array_slice($definition->getArguments(), 0, 2), $replaced)) {
                $way = $config['login'] ?? self::defaultWay($container, $id);
                $definition->setClass('before' === $way ? StrictLoginRateLimiter::class : LoginRateLimiter::class)
                    ->addArgument(new Reference('logger', ContainerInterface::NULL_ON_INVALID_REFERENCE));
            }
        }
        self::checkNames($container, $names, $namespace, $config['store']);
        if (\extension_loaded('ratelimit')) {
            self::addTools($container, $names, $namespace);
        }
    }

    /**
     * Returns whether src/replace.php was loaded in vain: services may have Symfony's final class as a type, and then take no other
     * one. Without that file, the container's limiters serve with and without the extension, wherever it was built.
     */
    private static function needsClassOfSymfony(): bool
    {
        return !\extension_loaded('ratelimit') && \in_array(realpath(__DIR__.'/../replace.php'), get_included_files(), true);
    }

    /**
     * @param list<string> $names of the limiters that stay with Symfony
     * @throws \LogicException
     */
    private static function checkExceptions(ContainerBuilder $container, array $names): void
    {
        foreach ($names as $name) {
            if (!$container->has(self::ID_PREFIX.$name)) {
                throw new \LogicException(sprintf('"ratelimit.except" names the rate limiter "%s", which does not exist. Correct the name, or remove it.', $name));
            }
        }
    }

    /**
     * Checks the store and the limiters' names, but for the values of environment variables.
     *
     * @param list<string> $names
     * @throws \LogicException
     */
    private static function checkNames(ContainerBuilder $container, array $names, string $namespace, ?string $store): void
    {
        $variables = [];
        $container->resolveEnvPlaceholders([$namespace, $store], null, $variables);
        if ($variables || !LimiterFactory::isServed($store)) {
            return;
        }
        foreach ($names as $name) {
            try {
                new Limiter(LimiterFactory::qualify($name, $namespace), Limit::none(), $store);
            } catch (InvalidArgument $e) {
                throw new \LogicException(sprintf('The extension ratelimit cannot serve the rate limiter "%s": %s. Correct "ratelimit.store" or "ratelimit.namespace".', $name, $e->getMessage()), 0, $e);
            }
        }
    }

    /**
     * Returns when the logins of a firewall count. "before" gives back what a success has taken: a firewall that checks a password or a
     * token with each request, as a stateless one does, would refuse parallel requests of one user.
     */
    private static function defaultWay(ContainerBuilder $container, string $id): string
    {
        $config = 'security.firewall.map.config.'.preg_replace('/^security\.login_throttling\.(.*)\.limiter$/', '$1', $id);
        if (!$container->hasDefinition($config)) {
            return 'after';
        }
        $firewall = $container->getDefinition($config);

        return $firewall->getArgument(4) || array_intersect($firewall->getArgument(10), self::EACH_REQUEST) ? 'after' : 'before';
    }

    /** Begins requests on the command line, but for those of functional tests, which call limited functions outside of requests, too. */
    private static function addRequests(ContainerBuilder $container): void
    {
        $container->register('ratelimit.request_listener', RequestListener::class)
            ->setArguments([!$container->has('test.client'), new Reference('security.token_storage', ContainerInterface::NULL_ON_INVALID_REFERENCE)])
            ->addTag('kernel.event_listener', ['event' => KernelEvents::REQUEST, 'method' => 'onKernelRequest', 'priority' => 1024])
            ->addTag('kernel.event_listener', ['event' => KernelEvents::TERMINATE, 'method' => 'onKernelTerminate', 'priority' => -1024]);
    }

    /** @param list<string> $names of limiters */
    private static function addTools(ContainerBuilder $container, array $names, string $namespace): void
    {
        if (class_exists(Command::class)) {
            $factories = [];
            foreach ($names as $name) {
                $factories[$name] = new Reference(self::ID_PREFIX.$name);
            }
            $factories = ServiceLocatorTagPass::register($container, $factories);
            foreach (['ban' => [BanCommand::class, $factories], 'unban' => [UnbanCommand::class, $factories], 'top' => [TopCommand::class, $namespace]] as $name => [$class, $argument]) {
                $container->register("ratelimit.command.$name", $class)->setArguments([$argument])->addTag('console.command');
            }
        }
        if ($container->has('profiler')) {
            $container->register('ratelimit.data_collector', DecisionsCollector::class)
                ->addTag('data_collector', ['id' => 'ratelimit', 'template' => DecisionsCollector::getTemplate(), 'priority' => 200])
                ->addTag('kernel.event_subscriber')
                ->addTag('kernel.reset', ['method' => 'reset']);
        }
    }

    private static function replaceLimiter(ContainerBuilder $container, string $id, ChildDefinition $definition, string $namespace, ?string $store): Definition
    {
        $limiter = $definition->getArgument(0);
        self::check($limiter, $store);
        $lazy = [];
        foreach ([1, 2] as $i) {
            try {
                $argument = $definition->getArgument($i);
            } catch (OutOfBoundsException) {
                $argument = null;
            }
            $lazy[] = $argument instanceof Reference ? new ServiceClosureArgument($argument) : $argument;
        }

        return $container->setDefinition($id, (new Definition(LimiterFactory::class, [$limiter, ...$lazy, $namespace, $store]))
            ->setPublic($definition->isPublic())
            ->setTags($definition->getTags())
            ->addTag(self::TAG));
    }

    /**
     * Checks a limiter when the container is built, so that a deployment fails and not a request. The first request checks the
     * values of environment variables.
     *
     * @param array<string, mixed> $limiter
     * @throws \LogicException
     */
    private static function check(array $limiter, ?string $store): void
    {
        $values = [$limiter['limit'] ?? 1, $limiter['interval'] ?? '', $limiter['rate']['interval'] ?? '', $limiter['rate']['amount'] ?? 1];
        if (LimiterFactory::isServed($store) && \is_int($values[0]) && \is_int($values[3]) && !preg_match('/env_|%/', $values[1].$values[2])) {
            Policy::limit($limiter);
        }
    }

    /**
     * @param array<mixed>         $references
     * @param array<string, mixed> $replaced   by the services' ids
     */
    private static function refersOnlyTo(array $references, array $replaced): bool
    {
        foreach ($references as $reference) {
            if (!$reference instanceof Reference || !isset($replaced[(string) $reference])) {
                return false;
            }
        }

        return true;
    }

    /** Returns a hash of the seed by which Symfony keeps the caches of applications, and so its limits, apart. */
    private static function defaultNamespace(ContainerBuilder $container): string
    {
        $seed = $container->hasParameter('cache.prefix.seed')
            ? $container->getParameter('cache.prefix.seed')
            : '_'.$container->getParameter('kernel.project_dir').'.'.$container->getParameter('kernel.container_class');

        return substr(hash('sha256', (string) $container->resolveEnvPlaceholders($container->getParameterBag()->resolveValue($seed), true)), 0, 8);
    }
}
