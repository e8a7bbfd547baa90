<?php

declare(strict_types=1);

/*
 * The bootstrap of Symfony's own tests: Symfony's limiters are classes of the same names and constructors here, which ask the
 * extension. Symfony's ClockMock drives the clock of both.
 */

namespace {
    require __DIR__.'/bootstrap.php';
    ini_set('ratelimit.testing', '1');
}

namespace Ratelimit\Symfony\Tests {
    use FrequencyLimit\Clock;
    use FrequencyLimit\Limit;
    use FrequencyLimit\Limiter;
    use Ratelimit\Symfony\NativeLimiter;
    use Symfony\Bridge\PhpUnit\ClockMock;
    use Symfony\Component\RateLimiter\LimiterInterface;
    use Symfony\Component\RateLimiter\RateLimit;
    use Symfony\Component\RateLimiter\Reservation;
    use Symfony\Component\RateLimiter\Storage\StorageInterface;
    use Symfony\Component\RateLimiter\Util\TimeUtil;

    /** Moves the extension's clock to Symfony's before each call. */
    abstract class Replacement implements LimiterInterface
    {
        private readonly NativeLimiter $limiter;

        /** @param string $id of one storage; storages have counts of their own */
        protected function init(string $id, StorageInterface $storage, Limit $limit, int $capacity, string $capacityName = 'size'): void
        {
            self::synchronize();
            static $storages = new \WeakMap();
            $storages[$storage] ??= bin2hex(random_bytes(8));
            $this->limiter = new NativeLimiter(new Limiter($storages[$storage], $limit), $id, $capacity, $capacityName);
        }

        public function reserve(int $tokens = 1, ?float $maxTime = null): Reservation
        {
            self::synchronize();

            return $this->limiter->reserve($tokens, $maxTime);
        }

        public function consume(int $tokens = 1): RateLimit
        {
            self::synchronize();

            return $this->limiter->consume($tokens);
        }

        public function reset(): void
        {
            self::synchronize();
            $this->limiter->reset();
        }

        private static function synchronize(): void
        {
            Clock::travelTo(ClockMock::microtime(true));
        }

        protected static function seconds(\DateInterval $interval): int
        {
            return TimeUtil::dateIntervalToSeconds($interval);
        }
    }
}

namespace Symfony\Component\RateLimiter\Policy {
    use FrequencyLimit\Limit;
    use Ratelimit\Symfony\Tests\Replacement;
    use Symfony\Component\Lock\LockInterface;
    use Symfony\Component\RateLimiter\Storage\StorageInterface;

    final class FixedWindowLimiter extends Replacement
    {
        public function __construct(string $id, int $limit, \DateInterval $interval, StorageInterface $storage, ?LockInterface $lock = null)
        {
            $this->init($id, $storage, Limit::fixedWindow($limit, self::seconds($interval)), $limit);
        }
    }

    final class SlidingWindowLimiter extends Replacement
    {
        public function __construct(string $id, int $limit, \DateInterval $interval, StorageInterface $storage, ?LockInterface $lock = null)
        {
            $this->init($id, $storage, Limit::slidingLog($limit, self::seconds($interval)), $limit);
        }
    }

    final class TokenBucketLimiter extends Replacement
    {
        public function __construct(string $id, int $maxBurst, Rate $rate, StorageInterface $storage, ?LockInterface $lock = null)
        {
            // Rate has no methods for its two values.
            [$interval, $amount] = explode('-', (string) $rate);
            $this->init($id, $storage, Limit::tokenBucket((int) $amount, self::seconds(new \DateInterval($interval)), $maxBurst), $maxBurst, 'burst size');
        }
    }
}

namespace {
    use PHPUnit\Event\Facade;
    use PHPUnit\Event\Test\PreparationStarted;
    use PHPUnit\Event\Test\PreparationStartedSubscriber;
    use Ratelimit\Symfony\NativeLimiter;
    use Symfony\Bridge\PhpUnit\ClockMock;

    foreach ([NativeLimiter::class, \Symfony\Component\RateLimiter\Reservation::class, \Symfony\Component\RateLimiter\RateLimit::class] as $class) {
        ClockMock::register($class);
    }
    foreach (['', 'Policy'] as $folder) {
        ClockMock::register(rtrim('Symfony\Component\RateLimiter\Tests\\'.$folder, '\\').'\AnyTest');
    }
    spl_autoload_register(static function (string $class): void {
        $prefix = 'Symfony\Component\RateLimiter\Tests\\';
        if (str_starts_with($class, $prefix)) {
            require getenv('RATELIMIT_SYMFONY_TESTS').'/'.str_replace('\\', '/', substr($class, strlen($prefix))).'.php';
        }
    });
    // Each test begins at a whole second or, by RATELIMIT_SYMFONY_CLOCK, at a fraction of one.
    Facade::instance()->registerSubscriber(new class() implements PreparationStartedSubscriber {
        public function notify(PreparationStarted $event): void
        {
            ClockMock::withClockMock((float) (getenv('RATELIMIT_SYMFONY_CLOCK') ?: '1800000000'));
        }
    });
    ClockMock::withClockMock(true);
}
