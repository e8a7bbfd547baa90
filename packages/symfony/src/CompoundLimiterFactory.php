<?php

declare(strict_types=1);

namespace Ratelimit\Symfony;

use FrequencyLimit\Limiter;
use Symfony\Component\RateLimiter\LimiterInterface;

/** Makes the limiters of a name with the policy "compound". */
final class CompoundLimiterFactory implements FactoryInterface
{
    private ?Limiter $together = null;

    /**
     * @param iterable<LimiterFactory> $factories
     * @param string|null              $name      the limiter's name: all limits are one decision, with counts of their own;
     *                                            null: the limits share their counts with the limiters that they name
     */
    public function __construct(private readonly iterable $factories, private readonly ?string $name = null, private readonly string $namespace = '', private readonly ?string $store = null)
    {
    }

    public function create(?string $key = null): LimiterInterface
    {
        if (null === $this->name || !LimiterFactory::isServed($this->store)) {
            $limiters = [];
            foreach ($this->factories as $factory) {
                $limiters[] = $factory->create($key);
            }

            return CompoundLimiter::of($limiters);
        }
        $limits = $capacities = [];
        foreach ($this->factories as $factory) {
            $limits[] = $factory->getLimit();
            $capacities[] = $factory->getCapacity();
        }
        $this->together ??= new Limiter(LimiterFactory::qualify($this->name, $this->namespace), $limits, $this->store);

        return new NativeLimiter($this->together, (string) $key, min($capacities));
    }
}
