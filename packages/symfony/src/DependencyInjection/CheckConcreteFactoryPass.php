<?php

declare(strict_types=1);

namespace Ratelimit\Symfony\DependencyInjection;

use Ratelimit\Symfony\LimiterFactory;
use Symfony\Component\DependencyInjection\Compiler\AbstractRecursivePass;
use Symfony\Component\DependencyInjection\Argument\ServiceClosureArgument;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\DependencyInjection\Definition;
use Symfony\Component\DependencyInjection\Exception\InvalidArgumentException;
use Symfony\Component\DependencyInjection\Exception\RuntimeException;
use Symfony\Component\DependencyInjection\Reference;
use Symfony\Component\DependencyInjection\TypedReference;
use Symfony\Component\RateLimiter\RateLimiterFactory;

/** Finds the services that would get a replaced limiter for an argument of the type RateLimiterFactory, which is final. */
final class CheckConcreteFactoryPass extends AbstractRecursivePass
{
    protected bool $skipScalars = true;

    public function process(ContainerBuilder $container): void
    {
        // src/replace.php has replaced the class itself.
        if (!is_a(LimiterFactory::class, RateLimiterFactory::class, true)) {
            parent::process($container);
        }
    }

    protected function processValue(mixed $value, bool $isRoot = false): mixed
    {
        if ($value instanceof TypedReference && RateLimiterFactory::class === $value->getType()) {
            // An argument of a controller: autowiring has not found its service yet.
            foreach ([(string) $value, RateLimiterFactory::class.' $'.$value->getName()] as $id) {
                if ($this->isReplaced($reference = new Reference($id))) {
                    throw $this->error($reference, sprintf('the argument $%s of the controller in "%s"', $value->getName(), $this->currentId));
                }
            }
        }
        if ($value instanceof Definition && !$value->isAbstract() && !$value->isSynthetic() && !$value->hasErrors() && null !== $value->getClass()) {
            $this->checkCalls($value);
        }

        return parent::processValue($value, $isRoot);
    }

    private function checkCalls(Definition $definition): void
    {
        $calls = $definition->getMethodCalls();
        if ($definition->getArguments()) {
            $calls[] = [null, $definition->getArguments()];
        }
        foreach ($calls as [$method, $arguments]) {
            if (!array_filter($arguments, $this->isReplaced(...))) {
                continue;
            }
            try {
                $function = null === $method ? $this->getConstructor($definition, false) : $this->getReflectionMethod($definition, $method);
            } catch (RuntimeException) {
                continue;
            }
            foreach ($function?->getParameters() ?? [] as $i => $parameter) {
                $argument = $arguments[$i] ?? $arguments['$'.$parameter->getName()] ?? null;
                if ($this->isReplaced($argument) && RateLimiterFactory::class === ltrim((string) $parameter->getType(), '?')) {
                    throw $this->error($argument, sprintf('the argument $%s of %s::%s() of the service "%s"', $parameter->getName(), $definition->getClass(), $function->getName(), $this->currentId));
                }
            }
        }
    }

    private function isReplaced(mixed $value): bool
    {
        if ($value instanceof ServiceClosureArgument) {
            [$value] = $value->getValues();
        }

        return $value instanceof Reference && $this->container->has((string) $value) && $this->container->findDefinition((string) $value)->hasTag(ReplaceLimitersPass::TAG);
    }

    private function error(Reference $reference, string $place): InvalidArgumentException
    {
        $id = (string) $reference;
        while ($this->container->hasAlias($id)) {
            $id = (string) $this->container->getAlias($id);
        }
        $name = preg_replace('/^limiter\./', '', $id);

        return new InvalidArgumentException(sprintf('The extension ratelimit serves the rate limiter "%s", but %s takes the final class "%s". Use the type "%3$sInterface" there, load src/replace.php of ratelimit/symfony, or list "%1$s" under "ratelimit.except" to leave it to Symfony.', $name, $place, RateLimiterFactory::class));
    }
}
