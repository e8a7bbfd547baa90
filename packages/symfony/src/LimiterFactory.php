<?php

declare(strict_types=1);

namespace Ratelimit\Symfony;

use FrequencyLimit\Limit;
use FrequencyLimit\Limiter;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\RateLimiter\LimiterInterface;
use Symfony\Component\RateLimiter\RateLimiterFactory;
use Symfony\Component\RateLimiter\Storage\StorageInterface;

/**
 * Makes the limiters of one name of framework.rate_limiter. It takes the arguments of Symfony's RateLimiterFactory. The
 * extension replaces the storage and the lock; they serve where the extension is not loaded.
 */
final class LimiterFactory implements FactoryInterface
{
    private ?Limit $limit = null;
    private ?Limiter $limiter = null;

    /**
     * @param array<string, mixed>                   $config    id, policy, and limit, interval, rate by the policy
     * @param StorageInterface|\Closure|null         $storage   a closure returns it on demand
     * @param LockFactory|\Closure|null              $lock      a closure returns it on demand
     * @param string                                 $namespace keeps the counts of applications on one store apart
     * @param string|null                            $store     a DSN, as in ratelimit.store; null: that setting
     */
    public function __construct(
        private readonly array $config,
        private readonly StorageInterface|\Closure|null $storage = null,
        private readonly LockFactory|\Closure|null $lock = null,
        private readonly string $namespace = '',
        private readonly ?string $store = null,
    ) {
    }

    public function create(?string $key = null): LimiterInterface
    {
        if (!self::isServed($this->store)) {
            return $this->createOfSymfony($key);
        }
        $this->limiter ??= new Limiter(self::qualify($this->config['id'], $this->namespace), $this->getLimit(), $this->store);

        return new NativeLimiter($this->limiter, (string) $key, $this->getCapacity(), 'token_bucket' === $this->config['policy'] ? 'burst size' : 'size');
    }

    public function getLimit(): Limit
    {
        return $this->limit ??= Policy::limit($this->config);
    }

    /** Returns the number of tokens that a call can ask for at most. */
    public function getCapacity(): int
    {
        return 'no_limit' === $this->config['policy'] ? $this->getLimit()->limit : $this->config['limit'];
    }

    /** Returns whether the extension decides. Without it, a polyfill serves only where it has a store that machines share. */
    public static function isServed(?string $store): bool
    {
        return \extension_loaded('ratelimit') || (null !== $store && class_exists(Limiter::class));
    }

    /** Returns the name of the Limiter of a limiter. */
    public static function qualify(string $id, string $namespace): string
    {
        return '' === $namespace ? $id : $id.'@'.$namespace;
    }

    private function createOfSymfony(?string $key): LimiterInterface
    {
        $storage = $this->storage instanceof \Closure ? ($this->storage)() : $this->storage;
        $lock = $this->lock instanceof \Closure ? ($this->lock)() : $this->lock;
        if (null === $storage) {
            throw new \LogicException(sprintf('The rate limiter "%s" has no storage, and the extension ratelimit is not loaded.', $this->config['id']));
        }

        return (new RateLimiterFactory($this->config, $storage, $lock))->create($key);
    }
}
