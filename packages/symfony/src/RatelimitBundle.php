<?php

declare(strict_types=1);

namespace Ratelimit\Symfony;

use Ratelimit\Symfony\DependencyInjection\CheckConcreteFactoryPass;
use Ratelimit\Symfony\DependencyInjection\ReplaceLimitersPass;
use Ratelimit\Symfony\EventListener\LimitExceededListener;
use Symfony\Component\Config\Definition\Configurator\DefinitionConfigurator;
use Symfony\Component\DependencyInjection\Compiler\PassConfig;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Loader\Configurator\ContainerConfigurator;
use Symfony\Component\HttpKernel\Bundle\AbstractBundle;
use Symfony\Component\HttpKernel\KernelEvents;

/** Serves framework.rate_limiter and login_throttling with the extension ratelimit, as they are configured. */
final class RatelimitBundle extends AbstractBundle
{
    /** @internal the parameter of the bundle's configuration, for its compiler passes */
    public const CONFIGURATION = '.ratelimit.configuration';

    public function configure(DefinitionConfigurator $definition): void
    {
        $definition->rootNode()
            ->children()
                ->scalarNode('store')
                    ->info('The DSN of the store, as in ratelimit.store. null: that setting.')
                    ->defaultNull()
                ->end()
                ->scalarNode('namespace')
                    ->info('Keeps the counts of applications on one store apart: "api" becomes "api@namespace". "": plain names. null: a hash of framework.cache.prefix_seed.')
                    ->defaultNull()
                ->end()
                ->arrayNode('except')
                    ->info('The names of limiters that stay with Symfony.')
                    ->scalarPrototype()->end()
                ->end()
                ->enumNode('compound')
                    ->info('"separate": the limits of a compound limiter share their counts with the limiters that it names. "together": they are one atomic decision, with counts of their own.')
                    ->values(['separate', 'together'])
                    ->defaultValue('separate')
                ->end()
                ->enumNode('login')
                    ->info('"before": each login counts until it succeeds, so that parallel guesses cannot pass together. "after": a failed login counts, as with Symfony. null: "after" for a stateless firewall and for one that checks a password or a token with each request, "before" for others.')
                    ->values([null, 'before', 'after'])
                    ->defaultNull()
                ->end()
                ->booleanNode('exceptions')
                    ->info('Maps LimitExceeded and RateLimitExceededException to the status 429 with headers, and LoginRequired to 401.')
                    ->defaultTrue()
                ->end()
            ->end();
    }

    /** @param array<string, mixed> $config */
    public function loadExtension(array $config, ContainerConfigurator $container, ContainerBuilder $builder): void
    {
        $builder->setParameter(self::CONFIGURATION, $config);
        if ($config['exceptions']) {
            // In front of Symfony's ErrorListener (-128), which then renders and logs the new exception.
            $builder->register('ratelimit.limit_exceeded_listener', LimitExceededListener::class)
                ->addTag('kernel.event_listener', ['event' => KernelEvents::EXCEPTION, 'method' => 'onKernelException', 'priority' => 10]);
        }
    }

    public function build(ContainerBuilder $container): void
    {
        $container->addCompilerPass(new ReplaceLimitersPass(), PassConfig::TYPE_BEFORE_OPTIMIZATION, 10);
        // The arguments of controllers have their types before the optimization, and those of services their values after it.
        $container->addCompilerPass(new CheckConcreteFactoryPass(), PassConfig::TYPE_BEFORE_OPTIMIZATION, -1000);
        $container->addCompilerPass(new CheckConcreteFactoryPass(), PassConfig::TYPE_BEFORE_REMOVING, 10);
    }
}
